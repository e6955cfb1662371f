import type { Socket } from 'socket.io'
import type { Auth } from '../../../auth/auth.ts'
import type { Credential } from '../../../auth/tools.ts'

export type PrincipalsOptions = {
  auth: Auth
  /** How often credentials ended elsewhere are looked for. */
  recheckMs: number
  onError: (error: unknown) => void
}

/** Which sockets came in with which credential, so that they go when it ends: here at once, elsewhere at the next look. */
export class Principals implements Disposable {
  readonly #options: PrincipalsOptions
  readonly #connected = new Map<string, { credential: Credential; sockets: Set<Socket> }>()
  readonly #stopListening: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(options: PrincipalsOptions) {
    this.#options = options
    this.#stopListening = options.auth.onEnded((credential) => this.#expel(credential))
  }

  add(socket: Socket, credential: Credential): void {
    const entry = this.#connected.get(credential.id) ?? { credential, sockets: new Set() }
    this.#connected.set(credential.id, entry)
    entry.sockets.add(socket)
    socket.once('disconnect', () => {
      entry.sockets.delete(socket)
      if (entry.sockets.size === 0 && this.#connected.get(credential.id) === entry)
        this.#connected.delete(credential.id)
    })
    this.#schedule()
  }

  [Symbol.dispose](): void {
    this.#stopListening()
    clearTimeout(this.#timer)
    this.#connected.clear()
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#connected.size === 0) return
    this.#timer = setTimeout(() => void this.#recheck(), this.#options.recheckMs)
  }

  async #recheck(): Promise<void> {
    try {
      const credentials = [...this.#connected.values()].map(({ credential }) => credential)
      for (const ended of await this.#options.auth.endedOf(credentials)) this.#expel(ended)
    } catch (error) {
      this.#options.onError(error)
    } finally {
      this.#timer = undefined
      this.#schedule()
    }
  }

  #expel({ id }: Credential): void {
    for (const socket of this.#connected.get(id)?.sockets ?? []) {
      socket.emit('system:error', {
        session_id: null,
        code: 'unauthorized',
        message: 'This credential was revoked or its login has ended.',
        detail: null,
        run_id: null,
      })
      socket.disconnect(true)
    }
  }
}
