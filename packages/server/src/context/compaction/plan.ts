import type { ArchivedRange, CompactionTrigger, TrimmedResults } from '@parley/protocol'
import type { ModelMessage } from '../../ports.ts'
import { messagesOf, type StoredTurn } from '../stored-turns.ts'
import { isInForce, lastCompaction, trimMessages } from './compacted.ts'
import type { TokenCounter } from './token-counter.ts'

export type Plan = {
  /** What the summary is to be made of, oldest first; none when it is enough to cut results. */
  archived: StoredTurn[]
  /** The compaction before this one, whose summary goes on in the new one. */
  before: StoredTurn | undefined
  range: ArchivedRange
  trimmed: TrimmedResults | null
}

export type PlanOptions = {
  trigger: CompactionTrigger
  /** What may stay as it is; a person who asks for a compaction gets one whatever would fit. */
  keepTokens: number
  counter: TokenCounter
}

/** The newest answers of a loop keep their results whole, if they can. */
const WHOLE_ANSWERS = 2
const TRIMMED_CHARACTERS = 4_000
/** Where even that is too much for what the newest answer has brought. */
const SHORT_CHARACTERS = 1_000

/**
 * What of a loop is archived, and what stays. Old and large results are cut first, so that more turns can stay; then the
 * newest turns stay that fit, from a user's message on where there is one among them. The user's last message stays
 * wherever it is. `undefined`: there is nothing to gain.
 */
export async function planCompaction(turns: readonly StoredTurn[], options: PlanOptions): Promise<Plan | undefined> {
  const before = lastCompaction(turns)
  const live = turns.filter((stored) => !isInForce(stored.turn) && messagesOf(stored).length > 0)
  if (live.length < 2) return undefined
  const old = before?.turn.trimmed ?? null
  for (const trimmed of trimsFor(live)) {
    const sizes = await sizesOf(live, trimmed ?? old, options.counter)
    const isLast = trimmed?.characters === SHORT_CHARACTERS
    if (options.trigger !== 'manual' && sizes.at(-1)! > options.keepTokens && !isLast) continue
    const plan = cut(live, sizes, options)
    if (plan.archived.length === 0 && !cutsAny(live, trimmed)) return undefined
    return { ...plan, before, trimmed: trimmed ?? old }
  }
  return undefined
}

/** From the gentlest on. */
function trimsFor(live: readonly StoredTurn[]): (TrimmedResults | null)[] {
  const answers = live.filter(({ turn }) => turn.role === 'assistant')
  const old = answers.at(-1 - WHOLE_ANSWERS)
  const last = live.at(-1)!.turn.sequence
  return [
    old ? { to: old.turn.sequence, characters: TRIMMED_CHARACTERS } : null,
    { to: last, characters: TRIMMED_CHARACTERS },
    { to: last, characters: SHORT_CHARACTERS },
  ]
}

function cut(
  live: readonly StoredTurn[],
  sizes: readonly number[],
  { trigger, keepTokens }: PlanOptions,
): Pick<Plan, 'archived' | 'range'> {
  const lastUser = live.findLastIndex(({ turn }) => turn.role === 'user')
  const begin = trigger === 'manual' && lastUser >= 0 ? lastUser : firstThatFits(live, sizes, keepTokens)
  const archived = live.slice(0, begin).filter((_, index) => index !== lastUser)
  const stays = live.filter((stored, index) => index >= begin || index === lastUser)
  const from = Math.min(...live.map(({ turn }) => turn.sequence))
  if (archived.length === 0) return { archived, range: { from, to: from - 1, kept: [] } }
  // A message that was added while the model was asked stands after an answer with a greater number.
  const to = Math.max(...archived.map(({ turn }) => turn.sequence))
  const kept = stays.map(({ turn }) => turn.sequence).filter((sequence) => sequence <= to)
  return { archived, range: { from, to, kept } }
}

/** The newest turn always stays. */
function firstThatFits(live: readonly StoredTurn[], sizes: readonly number[], keepTokens: number): number {
  let begin = live.length - 1
  for (let tokens = sizes[begin]!; begin > 0 && tokens + sizes[begin - 1]! <= keepTokens; begin--)
    tokens += sizes[begin - 1]!
  const user = live.findIndex(({ turn }, index) => index >= begin && turn.role === 'user')
  return user < 0 ? begin : user
}

async function sizesOf(
  live: readonly StoredTurn[],
  trimmed: TrimmedResults | null,
  counter: TokenCounter,
): Promise<number[]> {
  const messages = live.map((stored) => trimMessages(messagesOf(stored), stored.turn.sequence, trimmed))
  const counts = await counter.ofEach(messages.flat())
  let at = 0
  return messages.map(({ length }) => counts.slice(at, (at += length)).reduce((total, next) => total + next, 0))
}

function cutsAny(live: readonly StoredTurn[], trimmed: TrimmedResults | null): boolean {
  const isLonger = (message: ModelMessage) => message.role === 'tool' && message.text.length > trimmed!.characters
  return (
    trimmed !== null && live.some((stored) => stored.turn.sequence <= trimmed.to && messagesOf(stored).some(isLonger))
  )
}
