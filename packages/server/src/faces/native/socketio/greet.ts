import { handshakeSchema, type PatchMode } from '@parley/protocol'
import type { Logger } from 'pino'
import type { Socket } from 'socket.io'
import type { Caller } from '../../../auth/tools.ts'
import { type Admission, offerOf } from '../../../http/admission.ts'
import { logIgnored } from '../../../http/ignored-fields.ts'
import { parse } from '../../../http/parse.ts'
import { failureOf } from './replies.ts'

/** Who a socket belongs to and how it wants its patches. */
export type Greeting = { caller: Caller; patchMode: PatchMode }

/** [2.2] `auth.token`, else the Authorization header, else the login cookie. */
export async function greet(
  { handshake }: Socket,
  admission: Admission,
  { patchMode, logger }: { patchMode: PatchMode; logger: Logger },
): Promise<Greeting> {
  // A handshake has no answer to name them in.
  const { token, patch_mode } = parse(handshakeSchema, handshake.auth ?? {}, (names) =>
    logIgnored(logger, 'the handshake', names),
  )
  const offer = token === null ? offerOf(handshake.headers) : { token, by: 'bearer' as const }
  const caller = await admission.admit(offer, handshake.address)
  return { caller, patchMode: patch_mode ?? patchMode }
}

/** As the library wants it: the client sees `message` and `data` in its `connect_error`. */
export function connectError(error: unknown, logger: Logger): Error {
  const { code, message } = failureOf(error, logger)
  return Object.assign(new Error(code), { data: { code, detail: message } })
}
