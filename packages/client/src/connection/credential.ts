import type { AuthExpiry } from '@parley/protocol/wire'
import { AgentError } from '@parley/protocol'
import type { ClientOptions } from '../resolve-options.ts'
import type { Capabilities } from './capabilities.ts'
import type { ClientSocket } from './client-socket.ts'
import type { Wire } from './pending-commands.ts'

export type CredentialOptions = ClientOptions & {
  socket: ClientSocket
  wire: Wire
  capabilities: Capabilities
  /** Renews a browser's sign-in; false when that did not work. */
  refresh(): Promise<boolean>
}

/** How long before its end a token is renewed: a quarter of what is left, at most this. */
const RENEW_LEAD_MS = 5 * 60_000
/** When there was no other token, or the question for one failed. */
const ASK_AGAIN_MS = 5_000
const CLIENT = { name: 'parley-client', version: '0.1.0' }

/** What the connection comes in with, and how it goes on when that ends or is refused. */
export class Credential {
  /** The token that this connection came in with, or goes on with. */
  #used: string | null = null
  /** Another one is asked for once per connection. */
  #hasReplaced = false
  #cancelRenewal: () => void = () => {}
  readonly #options: CredentialOptions

  constructor(options: CredentialOptions) {
    this.#options = options
    options.socket.on('connect', () => {
      this.#hasReplaced = false
    })
    options.socket.on('auth:expires', (expiry) => this.#renewBefore(expiry))
    options.socket.on('disconnect', () => this.#cancelRenewal())
  }

  /** Fills in the handshake, with what the token is at that moment. */
  authenticate(answer: (auth: object) => void): void {
    const { socket, capabilities, tokens, ports } = this.#options
    const { engine } = socket.io
    void capabilities
      .settled()
      .then(() => tokens.read())
      .then(
        (token) => {
          if (engine !== socket.io.engine) return // the transport was replaced while we asked
          this.#used = token
          const language = this.#options.readLanguage()
          answer({ ...(token && { token }), ...(language && { language }), patch_mode: 'delta', client: CLIENT })
        },
        // Whoever makes tokens cannot be reached: the library tries again with a new transport.
        () => void ports.later(() => engine.close(), ASK_AGAIN_MS),
      )
  }

  /** Asks for another token than the one that was refused; the next connection reads it. */
  hasAnother(): boolean {
    if (this.#used === null || this.#hasReplaced) return false
    const other = this.#options.tokens.renew({ insteadOf: this.#used, because: 'refused' })
    if (other === null) return false
    this.#hasReplaced = true
    // Whether it was in vain, the next connection finds out.
    Promise.resolve(other).catch(() => {})
    return true
  }

  /** A long-lived page outlives its sign-in: renews it. */
  async refresh(): Promise<boolean> {
    if (!this.#options.isBrowser || this.#hasReplaced) return false
    this.#hasReplaced = true
    return this.#options.refresh()
  }

  #renewBefore({ expires_in_ms: left }: AuthExpiry): void {
    this.#cancelRenewal()
    if (left === null || this.#options.tokens.isFixed) return
    this.#renewIn(left - Math.min(RENEW_LEAD_MS, left / 4))
  }

  #renewIn(ms: number): void {
    // The socket keeps a script alive while it is needed; this need not.
    this.#cancelRenewal = this.#options.ports.later(() => void this.#renew(), ms, { isSpare: true })
  }

  /** Goes on with another token on the same socket: nothing is closed, no stream is cut. */
  async #renew(): Promise<void> {
    const { socket, wire } = this.#options
    const { id } = socket
    const insteadOf = this.#used
    if (insteadOf === null) return
    const token = await this.#ask(insteadOf)
    if (id !== socket.id || !socket.connected) return
    if (token === null) return this.#renewIn(ASK_AGAIN_MS)
    wire.send('auth:renew', { token }, (answer) => {
      const ack = answer as Partial<AuthExpiry> & { status?: string }
      // Refused: the server closes the socket when the old one ends, and we come back with the next.
      if (ack.status !== 'ok') return
      this.#used = token
      this.#renewBefore({ expires_at: ack.expires_at ?? null, expires_in_ms: ack.expires_in_ms ?? null })
    })
  }

  async #ask(insteadOf: string): Promise<string | null> {
    try {
      return await this.#options.tokens.renew({ insteadOf, because: 'expiring' })
    } catch {
      return null
    }
  }
}

export function unauthorized(): AgentError {
  return new AgentError('unauthorized', 'The server did not accept the credential. Check the key, then connect again.')
}
