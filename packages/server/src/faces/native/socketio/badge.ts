import { AgentError } from '@parley/protocol'
import type { AuthExpiry } from '@parley/protocol/wire'
import type { Socket } from 'socket.io'
import { asPrincipal, demandScope, type Principal } from '../../../auth/principal.ts'
import { isoTime, type Caller } from '../../../auth/tools.ts'
import type { Admission } from '../../../http/admission.ts'
import type { Reader } from '../../../words/reader.ts'
import { errorEvent, expelled } from '../../../http/failure.ts'
import type { Guests } from '../../../http/guests.ts'

/** What a socket comes in with. It ends the socket when it ends itself, and may be exchanged for a newer one before. */
export class Badge {
  readonly #socket: Socket
  readonly #admission: Admission
  readonly #guests: Guests
  readonly #reader: Reader
  #caller: Caller
  #leave: () => void

  constructor(
    socket: Socket,
    { caller, reader }: { caller: Caller; reader: Reader },
    { admission, guests }: { admission: Admission; guests: Guests },
  ) {
    this.#socket = socket
    this.#admission = admission
    this.#guests = guests
    this.#reader = reader
    this.#caller = caller
    this.#leave = this.#enter(caller)
    socket.once('disconnect', () => this.#leave())
    // Only to those whom it concerns: other clients hear nothing that they do not know.
    if (caller.visitor) socket.emit('auth:expires', expiryOf(caller))
  }

  get principal(): Principal {
    return asPrincipal(this.#caller)
  }

  /** Goes on with another credential of the same user: nothing is closed and nothing missed. A bad one changes nothing. */
  async renew(token: string): Promise<AuthExpiry> {
    const caller = await this.#admission.admit({ token, by: 'bearer' }, this.#socket.handshake.address)
    if (caller.user_id !== this.#caller.user_id)
      throw new AgentError('forbidden', 'This token is somebody else’s. Connect again to come in as them.')
    // What it follows already, it follows on: with less it has to connect anew.
    for (const scope of this.#caller.visitor?.scopes ?? []) demandScope(asPrincipal(caller), scope)
    if (!this.#socket.connected) throw new AgentError('unauthorized', expelled(this.#reader).message)
    const leave = this.#leave
    this.#caller = caller
    this.#leave = this.#enter(caller)
    leave()
    return expiryOf(caller)
  }

  #enter({ credential }: Caller): () => void {
    return this.#guests.add(credential, () => {
      this.#socket.emit('system:error', errorEvent(expelled(this.#reader), null))
      this.#socket.disconnect(true)
    })
  }
}

function expiryOf({ visitor, credential: { lastsMs } }: Caller): AuthExpiry {
  if (!visitor || lastsMs === undefined) return { expires_at: null, expires_in_ms: null }
  return { expires_at: isoTime(visitor.expires_at), expires_in_ms: lastsMs }
}
