import { AgentError, type CommandName, type CommandOk, type PatchMode } from '@parley/protocol'
import { authRenewSchema, commandSchemas } from '@parley/protocol/schemas'
import { isDeeper, MAX_JSON_DEPTH } from '@parley/protocol/wire'
import type { Logger } from 'pino'
import type { Socket } from 'socket.io'
import type { z } from 'zod'
import { demandScope, type Need } from '../../../auth/principal.ts'
import { errorEvent, type Failure } from '../../../http/failure.ts'
import { logIgnored } from '../../../http/ignored-fields.ts'
import { parse } from '../../../http/parse.ts'
import type { Sessions } from '../../../sessions/service.ts'
import type { FeedSource } from '../../../feed/feed.ts'
import { waitForCompaction } from '../wait-for-compaction.ts'
import type { Badge } from './badge.ts'
import { Outbox } from './outbox.ts'
import { noSuchSession, notSupported, refusal, toldFailure } from './replies.ts'
import { Subscriptions } from './subscriptions.ts'

export type ConnectionParts = { sessions: Sessions; source: FeedSource; logger: Logger; badge: Badge }

type Payload<Name extends CommandName> = z.output<(typeof commandSchemas)[Name]>
type Handlers = { [Name in CommandName]: (payload: Payload<Name>, ack: (ok: CommandOk[Name]) => void) => Promise<void> }

/** A client may have this many requests under way; more is no client of ours. */
const MAX_REQUESTS = 1_100

/** What each command needs of a visitor's token; a new one does not compile without. */
const NEEDS: Record<CommandName, Need> = {
  'session:subscribe': 'chat',
  'session:unsubscribe': 'chat',
  'chat:send': 'chat',
  'chat:stop': 'chat',
  'chat:compact': 'chat',
  'chat:append': 'chat',
}
const RENEW = 'auth:renew'

const OK = { status: 'ok', message: null, code: null } as const

/** One client's socket: decodes what it asks, calls the sessions, and answers. Requests about one session keep their order. */
export class Connection {
  readonly #socket: Socket
  readonly #parts: ConnectionParts
  readonly #outbox: Outbox
  readonly #subscriptions: Subscriptions
  readonly #queues = new Map<string, Promise<void>>()
  readonly #gone = new AbortController()
  #requests = 0

  constructor(socket: Socket, parts: ConnectionParts, patchMode: PatchMode) {
    this.#socket = socket
    this.#parts = parts
    this.#outbox = new Outbox(socket)
    const onFailure = (session_id: string, error: unknown) => {
      parts.logger.error({ err: error, session_id }, 'following a session failed')
      socket.disconnect(true)
    }
    this.#subscriptions = new Subscriptions({ source: parts.source, outbox: this.#outbox, onFailure }, patchMode)
    socket.onAny((name: string, ...args: unknown[]) => this.#receive(name, args))
    // Without a listener the library writes a frame it cannot read to the console.
    socket.on('error', () => {})
    socket.once('disconnect', () => this.#close())
  }

  readonly #handlers: Handlers = {
    'session:subscribe': async (payload, ack) => {
      const { session_id } = payload
      const { principal } = this.#parts.badge
      await this.#parts.sessions.get(principal, session_id)
      const { head, run_id, replayed } = await this.#subscriptions.subscribe(payload)
      const session = await this.#parts.sessions.get(principal, session_id)
      // After `head` was read: an older one could miss a change that no event will tell any more.
      const branch = await this.#parts.sessions.branch(principal, session_id)
      ack({ ...OK, session, run_id, event_seq: head, replayed: replayed && payload.since !== null, branch })
    },

    'session:unsubscribe': async ({ session_id }, ack) => {
      await this.#subscriptions.unsubscribe(session_id)
      ack(OK)
    },

    'chat:send': async (payload, ack) => {
      const { session_id } = payload
      const subscription = this.#subscriptions.find(session_id)
      using _hold = subscription?.hold()
      const { run_id, since, queued } = await this.#parts.sessions.send(this.#parts.badge.principal, payload)
      ack({ ...OK, session_id, run_id, ...(queued && { queued }) })
      if (!subscription) this.#subscriptions.followRun({ session_id, run_id, since })
    },

    'chat:stop': async ({ session_id, run_id }, ack) => {
      const isStopped = await this.#parts.sessions.stop(this.#parts.badge.principal, session_id, run_id ?? undefined)
      ack({ ...OK, message: isStopped ? null : 'not_running' })
    },

    'chat:compact': async ({ session_id }, ack) => {
      const accepted = await this.#parts.sessions.compact(this.#parts.badge.principal, session_id)
      // Not awaited: what is sent meanwhile must get through.
      void waitForCompaction(this.#parts.source, accepted, this.#gone.signal).then(
        (turn) => turn && ack(OK),
        (error: unknown) => ack(refusal(this.#failureOf(error)) as unknown as typeof OK),
      )
    },

    'chat:append': async (payload, ack) => {
      await this.#parts.sessions.append(this.#parts.badge.principal, payload)
      ack(OK)
    },
  }

  /** Anything may come in here: another name, no payload, a payload that is no object, no callback. */
  #receive(name: string, args: unknown[]): void {
    const last = args.at(-1)
    const ack = typeof last === 'function' ? (last as (answer: unknown) => void) : () => {}
    const payload = typeof args[0] === 'function' ? undefined : args[0]
    if (!isCommand(name) && name !== RENEW) {
      // Only to whoever asked for an answer: existing clients take a system:error for the end of their exchange.
      ack(refusal(this.#failureOf(notSupported(name))))
      return
    }
    if (this.#requests >= MAX_REQUESTS) {
      this.#socket.disconnect(true)
      return
    }
    this.#requests += 1
    const session_id = sessionIdOf(payload)
    const before = this.#queues.get(session_id) ?? Promise.resolve()
    const handled = () => (name === RENEW ? this.#renew(payload, ack) : this.#handle(name, payload, ack))
    const mine = before.then(handled).finally(() => this.#finished(session_id, mine))
    this.#queues.set(session_id, mine)
  }

  /** Without a system:error when it fails: the socket is as good as before, and clients would take it for its end. */
  async #renew(payload: unknown, ack: (answer: unknown) => void): Promise<void> {
    try {
      demandPlain(payload)
      const { token } = parse(authRenewSchema, payload, () => {})
      ack({ ...OK, ...(await this.#parts.badge.renew(token)) })
    } catch (error) {
      ack(refusal(this.#failureOf(error)))
    }
  }

  async #handle(name: CommandName, payload: unknown, ack: (answer: unknown) => void): Promise<void> {
    let ignored: string[] | undefined
    try {
      // Who does not read its answers gets no new ones; its requests pile up until there are too many.
      await this.#outbox.drained(this.#gone.signal)
      if (this.#gone.signal.aborted) return
      const handler = this.#handlers[name] as (payload: unknown, ack: (ok: unknown) => void) => Promise<void>
      demandPlain(payload)
      demandScope(this.#parts.badge.principal, NEEDS[name])
      const command = parse(commandSchemas[name], payload, (names) => {
        ignored = names
        logIgnored(this.#parts.logger, name, names)
      })
      if (command.session_id.includes('\0')) throw noSuchSession()
      await handler(command, (ok) => ack(ignored ? { ...(ok as object), ignored } : ok))
    } catch (error) {
      const failure = this.#failureOf(error)
      ack({ ...refusal(failure), ...(ignored && { ignored }) })
      this.#socket.emit('system:error', errorEvent(failure, sessionIdOf(payload) || null))
    }
  }

  #failureOf(error: unknown): Failure {
    return toldFailure(error, this.#parts.logger, this.#parts.source.rewording.reader)
  }

  #finished(session_id: string, mine: Promise<void>): void {
    this.#requests -= 1
    if (this.#queues.get(session_id) === mine) this.#queues.delete(session_id)
  }

  #close(): void {
    this.#gone.abort()
    this.#subscriptions.close()
  }
}

/** What the REST parser refuses: depth that was made to hurt, and names that change what an object is. */
function demandPlain(payload: unknown): void {
  if (isDeeper(payload))
    throw new AgentError('invalid_payload', `The payload nests deeper than ${MAX_JSON_DEPTH} levels.`)
  if (hasForbiddenKey(payload)) throw new AgentError('invalid_payload', 'The payload has a key named __proto__.')
}

function hasForbiddenKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasForbiddenKey)
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commandSchemas, name)
}

function sessionIdOf(payload: unknown): string {
  const id = (payload as { session_id?: unknown } | null | undefined)?.session_id
  return typeof id === 'string' ? id : ''
}
