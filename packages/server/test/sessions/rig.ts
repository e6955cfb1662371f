import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AskUserAnswer, ChatSendPayload, EventName, EventPayload, Session, TurnProjection } from '@parley/protocol'
import { chatSendSchema } from '@parley/protocol/schemas'
import { findCurrent } from '../../src/agents/version-rows.ts'
import type { Clock, Ids, Model, ModelEntry, Tools } from '../../src/ports.ts'
import { checkEdit } from '../../src/confirm/check-edit.ts'
import { Meter } from '../../src/context/compaction/meter.ts'
import { type CountTexts, TokenCounter } from '../../src/context/compaction/token-counter.ts'
import { startQueued } from '../../src/runs/accept/start-queued.ts'
import type { PointHook } from '../../src/runs/points.ts'
import { Runs } from '../../src/runs/runs.ts'
import type { Accepted } from '../../src/sessions/service.ts'
import type { Sessions } from '../../src/sessions/service.ts'
import { createSessions } from '../../src/sessions/create-sessions.ts'
import { plans } from '../../src/tasks/plan.ts'
import type { Engine } from '../../src/store/engine.ts'
import { Journal } from '../../src/store/journal.ts'
import { ModelWindows } from '../../src/store/model-windows.ts'
import { openSqlite } from '../../src/store/sqlite/engine.ts'
import { disabledTools } from '../../src/store/session-record.ts'
import type { StoredEvent } from '../../src/store/work.ts'
import { makeWorkspace } from '../../src/workspace/files/make-workspace.ts'
import { storeFile } from '../../src/workspace/store-file.ts'
import { scriptedModel, type ScriptedModel, scriptedTools } from '../loop/scripted.ts'

// Sessions and runs on a real SQLite database, put together as the server does it; no HTTP, and models that follow a script.

export const me = { user_id: 'user_1' }

export type InstanceOptions = {
  model?: Model | Parameters<typeof scriptedModel>[0]
  tools?: Tools | (() => Tools)
  at?: PointHook
  maxTurns?: number
  /** How long a confirmation, and consent, holds. */
  consentMs?: number
  /** Tools that only this instance has. */
  ownTools?: string[]
  /** Digests of agents' versions that it cannot get. */
  lacks?: string[]
  /** From this share of its window on a conversation is compacted; 0, the default: never by itself. */
  compactAt?: number
  /** The models' window, in tokens of four letters; 0: unknown. */
  contextWindow?: number
  /** Counts tokens; four letters are one unless it is given. */
  count?: CountTexts
  /** Values that no summary may hold. */
  secrets?: readonly string[]
  /** Ids of the models that can be chosen; the first is the default. */
  models?: readonly string[]
  name?: string
  /** How far this instance's clocks are from the true time; a test may move them. */
  time?: { wall: number; monotonic: number }
}

export const LEASE_MS = 10_000

/** A place for a database, with as many servers as a test wants. */
export class Rig implements AsyncDisposable {
  readonly engine: Engine
  readonly directory: string
  readonly errors: unknown[] = []
  readonly #instances: Instance[] = []
  readonly #held: (() => void)[] = []

  static async open(place?: ':memory:'): Promise<Rig> {
    const directory = await mkdtemp(join(tmpdir(), 'parley-sessions-'))
    return new Rig(directory, await openSqlite({ directory: place ?? directory, now: Date.now }))
  }

  constructor(directory: string, engine: Engine) {
    this.directory = directory
    this.engine = engine
  }

  instance(options: InstanceOptions = {}): Instance {
    const instance = new Instance(this, { name: `instance_${this.#instances.length + 1}`, ...options })
    this.#instances.push(instance)
    return instance
  }

  /** An instance that freezes at a point of its run, as if it had died there; it wakes when the rig is closed. */
  frozenAt(
    point: Parameters<PointHook>[0],
    options: InstanceOptions = {},
    times = 1,
  ): Instance & { frozen: Promise<void> } {
    const held = holdAt(point, times)
    this.#held.push(held.go)
    return Object.assign(this.instance({ ...options, at: held.at }), { frozen: held.reached })
  }

  /** What happens when an owner is gone: whatever it thinks, its lease is nobody's, and this instance finds its runs. */
  async takeOver(session_id: string, by: Instance): Promise<void> {
    await this.sql('UPDATE gates SET owner = NULL, lease_until = 0 WHERE session_id = ?', [session_id])
    await by.runs.claimExpired()
  }

  wakeAll(): void {
    for (const wake of this.#held) wake()
  }

  async sql<R>(text: string, parameters: readonly unknown[] = []): Promise<R[]> {
    return this.engine.write(function* () {
      return (yield { sql: text, parameters, portable: true }) as R[]
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.wakeAll()
    for (const { runs } of this.#instances) await runs[Symbol.asyncDispose]()
    await this.engine[Symbol.asyncDispose]()
    await rm(this.directory, { recursive: true, force: true })
  }
}

/** For a rig, which closes what it is given: this engine is somebody else's. */
export function borrowed(engine: Engine): Engine {
  return new Proxy(engine, {
    get: (target, name) => {
      if (name === Symbol.asyncDispose) return async () => undefined
      const value = Reflect.get(target, name, target) as unknown
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

export const ids: Ids = {
  next: (prefix) => (prefix === 'agent' ? `agent:${hex(4)}` : `${prefix}_${hex(12)}`),
}

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

export const clock: Clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    }),
}

export class Instance {
  readonly runs: Runs
  readonly sessions: Sessions
  readonly journal: Journal
  readonly model: ScriptedModel
  readonly #rig: Rig

  constructor(
    rig: Rig,
    {
      model = [],
      tools = scriptedTools({}),
      at,
      maxTurns = 50,
      models,
      name = 'one',
      consentMs = 900_000,
      ownTools = [],
      lacks = [],
      time = { wall: 0, monotonic: 0 },
      compactAt = 0,
      contextWindow = 1_000,
      secrets = [],
      count = async (texts) => texts.map(({ length }) => Math.ceil(length / 4)),
    }: InstanceOptions,
  ) {
    const { engine } = rig
    this.#rig = rig
    this.model = (typeof model === 'object' && 'stream' in model ? model : scriptedModel(model)) as ScriptedModel
    const known = models ?? ['scripted']
    const entry = (id: string): ModelEntry => ({
      id,
      name: id,
      contextWindow,
      supportsVision: false,
      supportsThinking: false,
      model: this.model,
    })
    const moved: Clock = { ...clock, now: () => clock.now() + time.wall }
    const shared = { engine, clock: moved, ids, leaseMs: LEASE_MS, gone: () => new Set<string>(), ...(at && { at }) }
    this.journal = new Journal(engine, () => ids.next('batch'))
    const windows = new ModelWindows(engine)
    const meter = new Meter({
      counter: new TokenCounter(count),
      windows: {
        of: (id) => windows.of(id, contextWindow),
        known: (id) => windows.known(id, contextWindow),
        learn: (id, tokens) => windows.learn(id, tokens),
      },
      share: compactAt,
    })
    const accepting = {
      ...shared,
      owner: name,
      contextWindow: (id: string) => meter.knownWindow(id),
      plans,
      seal: (text: string) => text,
      ownTools: () => ownTools,
    }
    this.runs = new Runs({
      ...shared,
      monotonicNow: () => performance.now() + time.monotonic,
      instance: name,
      language: 'en',
      drainMs: 5,
      model: (id) => (known.includes(id) ? entry(id) : undefined),
      hasModel: (id) => known.includes(id),
      setup: async ({ session }) => ({
        ...{ system: 'You are a test.', maxTurns, consentMs, secrets: async () => secrets },
        tools: typeof tools === 'function' ? tools() : tools,
        hasLoopTool: (name) => !disabledTools(session).includes(name),
        [Symbol.dispose]: () => undefined,
      }),
      ownTools: () => ownTools,
      hasAgent: async ({ digest }) => !lacks.includes(digest),
      sharesWorkspaces: async () => true,
      meter,
      startQueued: startQueued({ ...accepting, open: (text) => text, language: 'en' }),
      onError: (error) => rig.errors.push(error),
    })
    this.sessions = createSessions({
      ...accepting,
      meter,
      open: (text) => text,
      checkEdit: (_session, name, edited) => checkEdit(typeof tools === 'function' ? tools() : tools, name, edited),
      language: 'en',
      agents: {
        choose: async () => ({ agent: null, agent_digest: null, biz_role_id: null, mode: 'executing' as const }),
        *isStillChosen() {
          return (yield* findCurrent('default')) === null
        },
      },
      findSkill: async () => Promise.reject(new Error('There are no skills here.')),
      solutionOf: async () => null,
      hasMemory: true,
      journal: this.journal,
      runs: this.runs,
      defaultModel: () => known[0]!,
      modelOfAgent: async () => undefined,
      hasModel: async (id) => known.includes(id),
      mayHaveModel: async (id) => known.includes(id),
      storeFile: async (session_id, name, bytes) =>
        storeFile(await makeWorkspace(join(rig.directory, 'workspaces', session_id)), name, bytes),
      tables: ['tasks'],
      dropSession: async () => undefined,
      recall: async () => [],
      preamble: async () => ({ system: '', tools: [] }),
    })
  }

  create(body: Parameters<Sessions['create']>[1] = {}): Promise<Session> {
    return this.sessions.create(me, body)
  }

  send(
    session_id: string,
    message: ChatSendPayload['message'],
    rest: Partial<ChatSendPayload> = {},
  ): Promise<Accepted> {
    return this.sessions.send(me, chatSendSchema.parse({ session_id, message, ...rest }))
  }

  answer(session_id: string, answer: AskUserAnswer, rest: Partial<ChatSendPayload> = {}): Promise<Accepted> {
    return this.send(session_id, '', { askuser_answer: answer, ...rest })
  }

  append(session_id: string, message: string, client_message_id: string | null = null): Promise<void> {
    return this.sessions.append(me, { session_id, message, client_message_id })
  }

  compact(session_id: string): Promise<Accepted> {
    return this.sessions.compact(me, session_id)
  }

  /** Events up to the end of that compaction. */
  compacted(accepted: Accepted): Promise<Told[]> {
    return this.until(accepted, ({ type, run_id }) => type === 'run:quiet_end' && run_id === accepted.run_id)
  }

  stop(session_id: string, run_id?: string): Promise<boolean> {
    return this.sessions.stop(me, session_id, run_id)
  }

  /** A new session, one message, and everything that came of it. */
  async chat(message: string, rest: Partial<ChatSendPayload> = {}): Promise<Chat> {
    const { id } = await this.create()
    const accepted = await this.send(id, message, rest)
    return { ...accepted, events: await this.events(accepted) }
  }

  /** The run's events up to its `session:updated`, which follows `chat:end`. */
  events(accepted: Pick<Accepted, 'session_id' | 'since'>): Promise<Told[]> {
    return this.until(accepted, (event, seen) => event.type === 'session:updated' && seen.some(isChatEnd))
  }

  /** Events after `since`, up to the first one that is wanted. */
  async until(
    { session_id, since }: Pick<Accepted, 'session_id' | 'since'>,
    isLast: (event: Told, before: readonly Told[]) => boolean,
  ): Promise<Told[]> {
    const seen: Told[] = []
    for await (const page of this.journal.follow(session_id, { since, signal: AbortSignal.timeout(45_000) }))
      for (const event of page.map(told)) {
        const isOver = isLast(event, seen)
        seen.push(event)
        if (isOver) return seen
      }
    throw new Error(
      `Not seen in time. Seen: ${inShort(seen).join(' | ')}; errors: ${this.#rig.errors.map(String).join()}`,
    )
  }

  messages(session_id: string): Promise<TurnProjection[]> {
    return this.sessions.messages(me, session_id)
  }
}

export type Chat = Accepted & { events: Told[] }

/** An event as it lies in the journal, its data read. */
export type Told = Omit<StoredEvent, 'data'> & { data: Record<string, unknown> }

function told({ data, ...event }: StoredEvent): Told {
  return { ...event, data: JSON.parse(data) as Record<string, unknown> }
}

const isChatEnd = ({ type }: Told) => type === 'chat:end'

export function dataOf<Name extends EventName>(events: readonly Told[], name: Name): EventPayload<Name> {
  const found = events.findLast(({ type }) => type === name)
  if (!found) throw new Error(`There is no ${name} among ${events.map(({ type }) => type).join()}`)
  return found.data as EventPayload<Name>
}

/** What was shown, in a few words each, ids left out. */
export function inShort(events: readonly Told[]): string[] {
  return events.flatMap(({ type, data }) => {
    if (type.startsWith('run:')) return []
    if (type === 'turn:start' || type === 'turn:end')
      return [`${type} ${String(data['role'])} ${String(data['status'])}`]
    if (type === 'turn:patch') return [patchInShort(data as { patch_type: string; data: Record<string, unknown> })]
    if (type === 'chat:end') return [`chat:end ${String(data['status'])} ${String(data['session_status'])}`]
    if (type === 'system:error') return [`system:error ${String(data['code'])}`]
    if (type === 'system:notification') return [`notification ${String(data['notification_type'])}`]
    return [type]
  })
}

function patchInShort({ patch_type, data }: { patch_type: string; data: Record<string, unknown> }): string {
  if (patch_type === 'add_content') return `text ${String(data['text_delta'] ?? data['content']).trim()}`
  if (patch_type === 'add_tool_call') return `add_tool_call ${String(data['tool_name'])} ${String(data['status'])}`
  return `${patch_type} ${String(data['status'])}`
}

/** Without text. */
export function structure(events: readonly Told[]): string[] {
  return inShort(events).filter((line) => !line.startsWith('text '))
}

/** The id of the question, or of another call, that was announced last. */
export function lastCall(events: readonly Told[], tool_name = 'AskUserQuestion'): string {
  const calls = events.flatMap(({ type, data }) =>
    type === 'turn:patch' && data['patch_type'] === 'add_tool_call'
      ? [data['data'] as { id: string; tool_name: string }]
      : [],
  )
  return calls.findLast((call) => call.tool_name === tool_name)!.id
}

export const choose = (tool_call_id: string, option = 0): AskUserAnswer => ({
  tool_call_id,
  selections: { '0': [option] },
  custom: {},
})

/** A place in the run where a test may hold it: resolves `reached`, then waits for `go`. */
export function holdAt(point: Parameters<PointHook>[0], times = 1) {
  const reached = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  let left = times
  const at: PointHook = async (here) => {
    if (here !== point || --left !== 0) return
    reached.resolve()
    await go.promise
  }
  return { at, reached: reached.promise, go: () => go.resolve() }
}
