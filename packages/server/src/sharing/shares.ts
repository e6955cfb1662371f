import { AgentError } from '@parley/protocol'
import type { CreatedShare, Share } from '@parley/protocol/rest'
import type { Principal } from '../auth/principal.ts'
import { recordAudit } from '../store/audit.ts'
import type { Engine } from '../store/engine.ts'
import { lockGate } from '../store/gate.ts'
import { demandSession } from '../store/session-record.ts'
import type { Work } from '../store/work.ts'
import { deleteShare, findShare, type FoundShare, insertShare, setShared, sharesOf, toShare } from './share-rows.ts'
import { isTokenOf, newShareToken, shareIdOf } from './share-token.ts'

export type SharesOptions = {
  engine: Engine
  /** Whether this server makes links at all. */
  isEnabled: boolean
  /** Where people reach this server. */
  address: Promise<string>
  randomBytes: (size: number) => Buffer
}

/** The links of sessions. Only a token's hash is stored, so a link is told once, when it is made. */
export class Shares {
  readonly #options: SharesOptions

  constructor(options: SharesOptions) {
    this.#options = options
  }

  async create({ user_id }: Principal, session_id: string, ttl_seconds: number | null): Promise<CreatedShare> {
    const { engine, address, randomBytes } = this.#options
    const { id, token, hash } = newShareToken(randomBytes)
    const demandOwn = () => this.#demandOwn(user_id, session_id)
    const row = await engine.write(function* () {
      yield* demandOwn()
      const made = yield* insertShare({ id, session_id, hash }, ttl_seconds === null ? null : ttl_seconds * 1_000)
      yield* setShared(session_id, true)
      yield* recordAudit({ actor: user_id, action: 'share.create', subject: id, detail: session_id })
      return made
    })
    return { ...toShare(row), token, url: `${await address}/share/${token}` }
  }

  async list({ user_id }: Principal, session_id: string): Promise<Share[]> {
    const { engine } = this.#options
    return engine.read(function* () {
      yield* demandSession(engine, user_id, session_id)
      return (yield* sharesOf(session_id)).map(toShare)
    })
  }

  /** By its token, or by its id. */
  async revoke({ user_id }: Principal, session_id: string, token: string): Promise<void> {
    const { engine } = this.#options
    const id = shareIdOf(token) ?? ''
    await engine.write(function* () {
      yield* demandSession(engine, user_id, session_id)
      if (!(yield* deleteShare(session_id, id)))
        throw new AgentError('not_found', `Session ${session_id} has no such link.`, { details: { session_id } })
      yield* recordAudit({ actor: user_id, action: 'share.revoke', subject: id, detail: session_id })
    })
  }

  /** Off ends all links. On, by itself, shows the session to nobody. */
  async switch({ user_id }: Principal, session_id: string, isShared: boolean): Promise<void> {
    const demandOwn = () => this.#demandOwn(user_id, session_id, isShared)
    await this.#options.engine.write(function* () {
      yield* demandOwn()
      yield* setShared(session_id, isShared)
      if (!isShared) yield* recordAudit({ actor: user_id, action: 'share.revoke', subject: session_id })
    })
  }

  /** Whose session this link shows; `not_found` for one that does not work, whatever the reason. */
  async find(token: string): Promise<FoundShare> {
    const { engine, isEnabled } = this.#options
    const id = shareIdOf(token)
    const found = isEnabled && id !== undefined ? await engine.read(() => findShare(id)) : undefined
    if (!found || !isTokenOf(found.hash, token)) throw new AgentError('not_found', 'This link does not work.')
    return found
  }

  /** The gate is held: no session is deleted while a link to it is made. */
  *#demandOwn(user_id: string, session_id: string, isSharing = true): Work<void> {
    const { engine, isEnabled } = this.#options
    yield* demandSession(engine, user_id, session_id)
    if (isSharing && !isEnabled) throw new AgentError('not_supported', 'shared: this server makes no public links.')
    yield* lockGate(session_id)
  }
}
