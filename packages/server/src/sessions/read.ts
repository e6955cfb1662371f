import { isOnPath, openQuestions, type Session, type TurnProjection } from '@parley/protocol'
import type { Solution, TurnFeedback } from '@parley/protocol/rest'
import { type Preamble, readHistory } from '../context/history.ts'
import type { Meter } from '../context/compaction/meter.ts'
import { TURN_COLUMNS } from '../context/stored-turns.ts'
import { branchesOf, branchOf, type StoredBranch } from '../store/branch-rows.ts'
import type { Engine } from '../store/engine.ts'
import { feedbackByTurn } from '../store/feedback-rows.ts'
import type { Journal } from '../store/journal.ts'
import { isTurn, readTurn } from '../store/read-turn.ts'
import { demandSession, primarySkill, type SessionRow, toSession } from '../store/session-record.ts'
import { readStored, readStoredList } from '../store/stored-json.ts'
import { TurnFold } from '../store/turn-fold.ts'
import { activeBranch } from '../store/take-branch.ts'
import { run } from '../store/work.ts'
import { readContext } from './read-context.ts'
import type { Sessions } from './service.ts'

export type ReadOptions = {
  engine: Engine
  journal: Journal
  /** Decrypts what `seal` has encrypted. */
  open: (sealed: string) => string
  meter: Meter
  /** What it is a session of, as that was when it began; `null`: of no solution, or of one that cannot be had. */
  solutionOf: (session: Session) => Promise<Solution | null>
  /** What the model would be told before this session's conversation now. */
  preamble: (session: SessionRow) => Promise<Preamble>
}

export function getSession({ engine }: Pick<ReadOptions, 'engine'>): Sessions['get'] {
  return async ({ user_id }, session_id) =>
    toSession(await engine.read(() => demandSession(engine, user_id, session_id)))
}

export function readDetail({
  engine,
  open,
  solutionOf,
}: Pick<ReadOptions, 'engine' | 'open' | 'solutionOf'>): Sessions['detail'] {
  return async ({ user_id }, session_id) => {
    const detail = await engine.read(function* () {
      const row = yield* demandSession(engine, user_id, session_id)
      const paused = yield* run(
        engine.db
          .selectFrom('turns')
          .select(TURN_COLUMNS)
          .where('session_id', '=', session_id)
          .where('status', '=', 'paused')
          .orderBy('sequence'),
      )
      const [pending_question = null] = openQuestions(paused.map(readTurn))
      const session = toSession(row)
      return {
        ...session,
        primary_skill_snapshot: primarySkill(row),
        session_setup: {
          model: session.model,
          mode: session.mode,
          disable_tools:
            row.disable_tools === null ? null : ((readStoredList(row.disable_tools) as string[] | undefined) ?? null),
          memory_enabled: session.memory_enabled,
          env_keys: row.env === null ? [] : envKeys(row.env, open),
        },
        viewer_role: 'owner' as const,
        pending_question,
      }
    })
    return { ...detail, solution: await solutionOf(detail) }
  }
}

export function readBranch({ engine }: Pick<ReadOptions, 'engine'>): Sessions['branch'] {
  return async ({ user_id }, session_id) =>
    engine.read(function* () {
      yield* demandSession(engine, user_id, session_id)
      const { branch_id, path } = yield* activeBranch(session_id)
      return { branch_id, path }
    })
}

export function readMessages({ engine, journal }: Pick<ReadOptions, 'engine' | 'journal'>): Sessions['messages'] {
  return async ({ user_id }, session_id, page = {}) => {
    await engine.read(() => demandSession(engine, user_id, session_id))
    const snapshot = await journal.snapshot(session_id)
    const rows = await journal.turns(session_id, page)
    const feedback = await engine.read(() => feedbackByTurn(session_id))
    const finished = rows.map(readTurn).map((turn) => withFeedback(turn, feedback.get(turn.turn_id)))
    const known = new Set(finished.map(({ turn_id }) => turn_id))
    const open = new TurnFold(snapshot.open).turns
      .filter(isTurn)
      .filter(
        ({ turn_id, sequence }) =>
          !known.has(turn_id) && sequence > (page.after ?? -1) && sequence < (page.before ?? Infinity),
      )
    const all = [...finished, ...open].sort((a, b) => a.sequence - b.sequence)
    const turns = page.branches === 'all' ? marked(all, await engine.read(() => branchesOf(session_id))) : all
    if (page.limit === undefined) return turns
    return page.after === undefined ? turns.slice(-page.limit) : turns.slice(0, page.limit)
  }
}

/** Which branch each was written on, and that it is not the one that is being talked on. */
function marked(turns: readonly TurnProjection[], branches: readonly StoredBranch[]): TurnProjection[] {
  const active = branches.find(({ isActive }) => isActive)
  return turns.map((turn) => {
    const { branch_id } = branchOf(branches, turn.sequence)
    const isDeprecated = active !== undefined && !isOnPath(active.path, turn.sequence)
    return { ...turn, branch_id, ...(isDeprecated && { deprecated: true }) }
  })
}

/** Put on here and nowhere else: what is stored of a turn, and what a model gets of it, is the same whatever is thought of it. */
function withFeedback(turn: TurnProjection, feedback: TurnFeedback | undefined): TurnProjection {
  return feedback ? { ...turn, feedback } : turn
}

export function readModelHistory(options: ReadOptions): Sessions['history'] {
  const { engine, preamble, meter } = options
  return async ({ user_id }, session_id) => {
    const session = await engine.read(() => demandSession(engine, user_id, session_id))
    return readHistory(await readContext(options, session_id), await preamble(session), meter.counter)
  }
}

/** What was sealed with another secret, or is damaged, has no names to show. */
function envKeys(sealed: string, open: (sealed: string) => string): string[] {
  try {
    return Object.keys(readStored(open(sealed)) ?? {}).sort()
  } catch {
    return []
  }
}
