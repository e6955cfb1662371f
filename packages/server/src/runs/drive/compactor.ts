import { ROOT_LOOP, type CompactionTrigger, type TurnProjection } from '@parley/protocol'
import { isReplaced } from '@parley/protocol/wire'
import type { Meter } from '../../context/compaction/meter.ts'
import { keepsakesOf } from '../../context/compaction/keepsakes.ts'
import { secretMask } from '../../context/compaction/mask-secrets.ts'
import { type Plan, planCompaction } from '../../context/compaction/plan.ts'
import { roomFor } from '../../context/compaction/room.ts'
import { type Summary, summarize } from '../../context/compaction/summarize.ts'
import { maskMessages, transcriptOf } from '../../context/compaction/transcript.ts'
import { contextOf, messagesOf, ofLoop, type StoredTurn } from '../../context/stored-turns.ts'
import type { Compaction, LoopEnv } from '../../core/loop-env.ts'
import type { Compacted, LoopEvent, RunError } from '../../core/loop-events.ts'
import type { LoopState } from '../../core/loop-state.ts'
import { userMessage } from '../../core/messages.ts'
import { modelOf } from '../../core/stream-answer.ts'
import { offeredTools } from '../../core/offer.ts'
import type { ModelMessage, ToolSpec } from '../../ports.ts'
import { openTasks } from '../../store/task-rows.ts'
import { loadRun } from '../restore/load-run.ts'
import { inOrder } from '../restore/restore.ts'
import type { DriveOptions } from './drive-options.ts'

export type CompactorParts = Pick<DriveOptions, 'engine' | 'lease' | 'journal' | 'active' | 'inTurn'> & {
  env: LoopEnv
  meter: Meter
  /** Values of the environment that no summary may hold. */
  secrets: () => Promise<readonly string[]>
}

/** What a model is told to go on with, where its own words would be the last. */
const GO_ON = 'Go on where you were.'
const PREVIEW_CHARACTERS = 200

/**
 * Makes room in the loops of one run. What is archived is read from stored turns, and so is what the model gets afterwards:
 * whoever carries the run on finds the same conversation.
 */
export class Compactor implements Compaction {
  readonly #parts: CompactorParts
  /** Loops whose last try failed: the run goes on without, and does not ask again at every step. */
  readonly #failed = new Set<string>()

  constructor(parts: CompactorParts) {
    this.#parts = parts
  }

  async isDue(loop: LoopState, tools: readonly ToolSpec[]): Promise<boolean> {
    const { env, meter } = this.#parts
    if (this.#failed.has(loop.loop_id)) return false
    return meter.isDue(loop, { system: await this.#system(), tools, model: modelOf(loop, env).id })
  }

  async *compact(
    loop: LoopState,
    trigger: CompactionTrigger,
    refused?: RunError,
  ): AsyncGenerator<LoopEvent, ModelMessage[] | undefined> {
    const { env, meter } = this.#parts
    const { id: model } = modelOf(loop, env)
    const given = { system: await this.#system(), tools: offeredTools(loop, env), model }
    const turns = await this.#turnsOf(loop)
    const before = await meter.measure(loop, given)
    if (refused) await meter.learn(model, refused, before.tokens)
    const { counter } = meter
    const half = Math.floor((await counter.ofMessages(loop.messages)) / 2)
    const keepTokens = Math.min(roomFor(await meter.windowOf(model)).keepTokens, half)
    const plan = await planCompaction(turns, { trigger, keepTokens, counter })
    if (!plan || env.signal.aborted) return undefined

    const turn_id = env.ids.next('turn')
    const { loop_id, parent_fork_tool_call_id } = loop
    yield { type: 'compaction:start', turn_id, loop_id, parent_fork_tool_call_id, model, trigger }
    const summary = yield* this.#summarize(loop, plan, turn_id)
    // Leaving: whoever carries on closes the turn, and decides again.
    if (summary.status === 'stopped' && env.isLeaving()) return undefined
    if (summary.status !== 'done') {
      const failure_reason = summary.status === 'stopped' ? 'stopped' : summary.failure.message
      yield { type: 'compaction:end', turn_id, usage: null, result: { failure_reason } }
      return this.#leave(loop)
    }
    const { text, usage } = summary
    const messages = [...this.#prompt(loop), ...contextAfter(turns, plan, { text, loop_id })]
    const after = Math.round((await meter.count(messages, given)) * before.scale)
    if (after >= before.tokens) {
      const failure_reason = `it would not shrink: ${before.tokens} tokens before, ${after} after`
      yield { type: 'compaction:end', turn_id, usage, result: { failure_reason } }
      return this.#leave(loop)
    }
    const result = compacted({ plan, turns, loop_id, text, before: before.tokens, after }, env.ids.next('cmp'))
    yield { type: 'compaction:end', turn_id, usage, result }
    return withLastWord(messages, loop)
  }

  async #system(): Promise<string> {
    return (await this.#parts.env.context.assemble({ messages: [], tools: [] })).system
  }

  #leave({ loop_id }: LoopState): undefined {
    this.#failed.add(loop_id)
    return undefined
  }

  /** What a sub-agent was told is no turn, and stays before everything else. */
  #prompt({ depth, messages }: LoopState): ModelMessage[] {
    return depth === 0 ? [] : messages.slice(0, 1)
  }

  /** Of one loop, as they are stored, what people have added included: it need not be added any more. */
  async #turnsOf(loop: LoopState): Promise<StoredTurn[]> {
    const { engine, lease, journal, active, inTurn } = this.#parts
    return inTurn(async () => {
      await journal.stored()
      const { turns, record } = await engine.read(() => loadRun(engine, lease))
      if (loop.loop_id === ROOT_LOOP) loop.messages.push(...active.takeMessages())
      return ofLoop(inOrder(turns, record), loop.loop_id)
    })
  }

  async *#summarize(loop: LoopState, plan: Plan, turn_id: string): AsyncGenerator<LoopEvent, Summary> {
    const { env, meter, engine, lease } = this.#parts
    const sofar = plan.before?.turn.summary_full ?? ''
    if (plan.archived.length === 0) return { status: 'done', text: sofar, usage: null }
    const { id: model, model: asked } = modelOf(loop, env)
    const { recordTokens, outputTokens, keepsakeCharacters } = roomFor(await meter.windowOf(model))
    const mask = await secretMask(await this.#parts.secrets())
    const messages = maskMessages(plan.archived.flatMap(messagesOf), mask)
    const tasks = (await engine.read(() => openTasks(lease.session_id))).map(mask)
    const said = sofar === '' ? messages : [userMessage(sofar), ...messages]
    const inputs = summarize({
      model: asked,
      counter: meter.counter,
      pieces: transcriptOf(messages),
      sofar,
      keepsakes: keepsakesOf(said, { tasks: loop.depth === 0 ? tasks : [], characters: keepsakeCharacters }),
      recordTokens,
      maxOutputTokens: outputTokens,
      mask,
      signal: env.signal,
    })
    for (;;) {
      const next = await inputs.next()
      if (next.done) return next.value
      yield { type: 'compaction:input', turn_id, loop_id: loop.loop_id, model, input: next.value }
    }
  }
}

/** As `contextOf` will give it once the compaction is stored. */
function contextAfter(
  turns: readonly StoredTurn[],
  { range, trimmed }: Plan,
  { text, loop_id }: { text: string; loop_id: string },
): ModelMessage[] {
  const sequence = Number.MAX_SAFE_INTEGER
  const about = { kind: 'compaction', status: 'completed', loop_id, sequence, archived_range: range, trimmed }
  const turn = { ...about, role: 'system', summary_full: text } as TurnProjection
  const stay = turns.filter((stored) => !isReplaced(stored.turn, turn))
  return contextOf([...stay, { turn, parts: null }])
}

/** A reminder is no turn, and an answer that broke off must not be the last word. */
function withLastWord(messages: ModelMessage[], loop: LoopState): ModelMessage[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return messages
  const word = loop.messages.at(-1)
  return [...messages, word?.role === 'user' ? word : userMessage(GO_ON)]
}

type Result = { plan: Plan; turns: StoredTurn[]; loop_id: string; text: string; before: number; after: number }

function compacted({ plan, turns, loop_id, text, before, after }: Result, compaction_id: string): Compacted {
  const { range: archived_range, trimmed } = plan
  const turn = { loop_id, sequence: Number.MAX_SAFE_INTEGER, archived_range } as TurnProjection
  return {
    compaction_id,
    summary_preview: text.replace(/\s+/g, ' ').slice(0, PREVIEW_CHARACTERS),
    summary_full: text,
    archived_count: turns.filter((stored) => isReplaced(stored.turn, turn)).length,
    archived_range,
    trimmed,
    tokens_before: before,
    tokens_after: after,
    saved_ratio: 1 - after / before,
  }
}
