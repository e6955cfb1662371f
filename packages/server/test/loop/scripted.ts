import type { LoopEnv } from '../../src/core/loop-env.ts'
import type { LoopEvent, Outcome } from '../../src/core/loop-events.ts'
import { type LoopState, newLoop } from '../../src/core/loop-state.ts'
import { userMessage } from '../../src/core/messages.ts'
import { createContext } from '../../src/context/context.ts'
import { runLoop } from '../../src/core/run-loop.ts'
import type {
  JsonValue,
  Model,
  ModelEvent,
  ModelFailure,
  ModelRequest,
  Tool,
  ToolOutput,
  Tools,
} from '../../src/ports.ts'
import { callDigest } from '../../src/confirm/policy.ts'
import { ActiveRun } from '../../src/runs/active-run.ts'

// The world of a loop, without I/O: a model that follows a script, tools that are functions, ids that count.

export type ScriptedCall = { name: string; arguments?: unknown; id?: string }

/** What the model says to one request. The order is thinking, text, calls, end. */
export type Reply = {
  /** Refused attempts before this one. */
  retries?: number
  thinking?: string
  text?: string
  calls?: readonly ScriptedCall[]
  /** Fails with this after what was said; with nothing said, before the provider has accepted. */
  failure?: Partial<ModelFailure>
  finish?: 'stop' | 'length' | 'refused'
  /** `null`: the provider counts nothing. Default: numbers that mean nothing. */
  usage?: null
  /** Says no more after the text until it is let go, or aborted. */
  until?: Promise<unknown>
  /** Instead of all of the above. */
  events?: readonly ModelEvent[]
}

export type ScriptedModel = Model & {
  /** What was asked, as JSON text: what is compared is bytes. */
  readonly requests: string[]
}

/** Answers with the next reply, or by what the request says. Beyond the script it fails. */
export function scriptedModel(script: readonly Reply[] | ((request: ModelRequest) => Reply)): ScriptedModel {
  const requests: string[] = []
  const queue = typeof script === 'function' ? [] : [...script]
  return {
    requests,
    async *stream(request) {
      const { system, messages, tools, toolChoice } = request
      requests.push(JSON.stringify({ system, tools, toolChoice, messages }))
      const reply = typeof script === 'function' ? script(request) : queue.shift()
      yield* play(reply ?? { failure: { message: 'The script is over.' } }, request, requests.length)
    },
  }
}

async function* play(reply: Reply, { signal }: ModelRequest, number: number): AsyncGenerator<ModelEvent> {
  if (reply.events) return yield* reply.events
  const { retries = 0, thinking, text, calls = [], failure, finish = 'stop', until } = reply
  for (let attempt = 1; attempt <= retries; attempt++)
    yield { type: 'retry', attempt, delayMs: 1, failure: failureOf({ kind: 'network' }), model: 'scripted' }
  const saysNothing = thinking === undefined && text === undefined && calls.length === 0
  if (failure && saysNothing) return yield { type: 'failed', failure: failureOf(failure), usage: null }
  yield { type: 'accepted', model: 'scripted' }
  for (const [part, said] of [['thinking', thinking] as const, ['text', text] as const]) {
    for (const delta of said?.match(/\S+\s*/g) ?? []) yield { type: part, delta }
    if (said !== undefined) yield { type: 'part_end', part }
  }
  if (until) await Promise.race([until, aborted(signal)])
  if (signal.aborted) return
  for (const [index, call] of calls.entries())
    yield {
      type: 'tool_call',
      call: { id: call.id ?? `p${number}_${index}`, name: call.name, arguments: textOf(call.arguments ?? {}) },
    }
  const usage = reply.usage === null ? null : { input_tokens: number, output_tokens: 1 }
  if (failure) yield { type: 'failed', failure: failureOf(failure), usage }
  else yield { type: 'finish', reason: calls.length > 0 && finish === 'stop' ? 'tool_calls' : finish, usage }
}

function failureOf(given: Partial<ModelFailure>): ModelFailure {
  return { kind: 'server', message: 'broken', incomplete: false, ...given }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

type ScriptedTool = Partial<Pick<Tool, 'readOnly' | 'replay' | 'check' | 'effect' | 'prepare'>> & {
  /** Wants a person's consent. */
  asks?: boolean
  /** May not run with such arguments. */
  denies?: (input: JsonValue) => boolean

  run?: (input: JsonValue, context: { tool_call_id: string; signal: AbortSignal }) => JsonValue | Promise<ToolOutput>
}

/** Tools by name. What `run` returns is the result; without it the tool says its own name. */
export function scriptedTools(tools: Record<string, ScriptedTool>): Tools {
  const list = Object.entries(tools).map(
    ([name, { readOnly = false, replay = 'never', check, run, effect, prepare }]): Tool => ({
      name,
      displayName: `Display ${name}`,
      description: `${name} of a test`,
      input: { type: 'object' },
      risk: 'medium',
      readOnly,
      replay,
      ...(effect && { effect }),
      ...(prepare && { prepare }),
      check: check ?? ((value) => ({ ok: true, value })),
      async run(input, context) {
        const output = run ? await run(input, context) : name
        return typeof output === 'object' && output !== null && 'result' in output
          ? (output as ToolOutput)
          : { result: output }
      },
    }),
  )
  return {
    list: () => list,
    find: (name) => list.find((tool) => tool.name === name),
    judge({ name }, input) {
      if (tools[name]?.denies?.(input)) return { type: 'deny', reason: `${name} is not allowed.` }
      return tools[name]?.asks ? { type: 'ask', digest: callDigest(name, input), why: BY_RISK } : { type: 'allow' }
    },
  }
}

/** Why a call asks. */
export const BY_RISK = { by: 'risk', number: null, rule: null, host: null } as const

/** A loop's world with the switches of a real run: `active.stop('stop')`, `active.isDraining = true` … */
export class World {
  readonly active = new ActiveRun()
  readonly model: ScriptedModel
  readonly env: LoopEnv
  mayAct = true

  constructor(script: Parameters<typeof scriptedModel>[0], given: Partial<LoopEnv> = {}) {
    this.model = scriptedModel(script)
    this.env = {
      model: { id: 'scripted', model: this.model },
      findModel: () => undefined,
      context: createContext('You are a test.'),
      tools: scriptedTools({}),
      clock: { now: () => 0, elapsed: () => 0, sleep: async () => undefined },
      ids: countingIds(),
      maxTurns: 50,
      maxDepth: 3,
      parallelCalls: 8,
      consentMs: 900_000,
      decisionNow: () => 0,
      headless: false,
      asks: !given.headless,
      output: null,
      inbox: this.active,
      signal: this.active.signal,
      isLeaving: () => this.active.reason === 'shutdown' || this.active.reason === 'lost',
      isShutdown: () => this.active.reason === 'shutdown',
      isDraining: () => this.active.isDraining,
      mayAct: async () => this.mayAct,
      texts: {
        maxTurns: (count) => `Stopped after ${count} model calls.`,
        cut: 'Cut.',
        askDisplayName: 'Ask',
        agentDisplayName: 'Agent',
        submitDisplayName: 'Submit',
      },
      ...given,
    }
  }

  /** What whoever drives a loop does with an answer. */
  answer(tool_call_id: string, result: JsonValue = { answers: [] }): void {
    this.active.answer(tool_call_id, { type: 'answered', result })
  }
}

export function countingIds(): LoopEnv['ids'] {
  const counts = new Map<string, number>()
  return {
    next(prefix) {
      const count = (counts.get(prefix) ?? 0) + 1
      counts.set(prefix, count)
      return `${prefix}${prefix === 'agent' ? ':' : '_'}${count}`
    },
  }
}

export function mainLoop(question = 'Hello'): LoopState {
  return newLoop({
    loop_id: 'root',
    parent_fork_tool_call_id: null,
    description: '',
    depth: 0,
    messages: [userMessage(question)],
  })
}

export type Played = { events: LoopEvent[]; outcome: Outcome }

/** Runs a loop to its end. `onEvent` sees each event before the loop goes on, like the journal does. */
export async function playLoop(
  loop: LoopState,
  { env }: World,
  onEvent: (event: LoopEvent) => unknown = () => undefined,
): Promise<Played> {
  const events: LoopEvent[] = []
  const steps = runLoop(loop, env)
  for (;;) {
    const next = await steps.next()
    if (next.done) return { events, outcome: next.value }
    events.push(next.value)
    await onEvent(next.value)
  }
}

/** An event in a few words, for comparing whole stories. */
export function inShort(event: LoopEvent): string {
  switch (event.type) {
    case 'model:call':
      return `call ${event.loop_id}`
    case 'model:input':
      return `input ${event.loop_id}`
    case 'model:retry':
      return `retry ${event.attempt}`
    case 'turn:start':
      return `start ${event.turn_id} ${event.loop_id}`
    case 'text':
      return `${event.block}${event.isNewBlock ? ' new' : ''} ${event.delta.trim()}`
    case 'answer':
      return `answer ${event.turn_id} [${event.calls.map(({ id, status }) => `${id} ${status}`).join(', ')}]`
    case 'tool:claim':
      return `claim ${event.tool_call_id} ${event.attempt}`
    case 'tool:confirm':
      return `confirm ${event.tool_call_id} by ${event.question_id}`
    case 'tool:effect':
      return `effect ${event.tool_call_id}`
    case 'tool:result':
      return `result ${event.tool_call_id} ${event.status} ${JSON.stringify(event.result)}`
    case 'tool:status':
      return `status ${event.tool_call_id} ${event.status}${event.pending_question_ref ? ` for ${event.pending_question_ref.child_tool_call_id}` : ''}`
    case 'turn:end':
      return `end ${event.turn_id} ${event.status}${event.isEnded ? ' again' : ''}`
    case 'compaction:start':
    case 'compaction:input':
    case 'compaction:end':
      return `${event.type} ${event.turn_id}`
    case 'notice':
      return `notice ${event.loop_id} ${event.text}`
    default:
      return event satisfies never
  }
}

/** Without text: the structure of a story. */
export function structureOf({ events }: Played): string[] {
  return events.filter(({ type }) => type !== 'text' && !type.startsWith('model:')).map(inShort)
}

export const question = (text = 'Which?') => ({
  questions: [{ question: text, options: [{ label: 'a' }, { label: 'b' }] }],
})

export const ask = (text?: string): ScriptedCall => ({ name: 'AskUserQuestion', arguments: question(text) })

export const fork = (prompt: string): ScriptedCall => ({
  name: 'Agent',
  arguments: { description: `About ${prompt}`, prompt },
})

/** The last thing a person, or a parent agent, asked; and the results since. */
export function situation({ messages }: Pick<ModelRequest, 'messages'>): { asked: string; results: string[] } {
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const message = messages[at]
  const asked =
    message?.role === 'user' ? message.content.map((part) => (part.type === 'text' ? part.text : '')).join('') : ''
  return { asked, results: messages.slice(at + 1).flatMap((one) => (one.role === 'tool' ? [one.text] : [])) }
}
