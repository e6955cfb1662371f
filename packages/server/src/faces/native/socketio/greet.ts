import { handshakeSchema } from '@parley/protocol/schemas'
import type { PatchMode } from '@parley/protocol'
import type { Logger } from 'pino'
import type { Socket } from 'socket.io'
import type { Caller } from '../../../auth/tools.ts'
import { type Admission, presentedIn } from '../../../http/admission.ts'
import { logIgnored } from '../../../http/ignored-fields.ts'
import { parse } from '../../../http/parse.ts'
import { acceptedLanguage, type Language, languageOfTag } from '../../../words/language.ts'
import { readerFor } from '../../../words/reader.ts'
import { toldFailure } from './replies.ts'

/** Who a socket belongs to, how it wants its patches, and in which language. */
export type Greeting = { caller: Caller; patchMode: PatchMode; language: Language }

/** [W2.2] `auth.token`, else the Authorization header, else the login cookie. */
export async function greet(
  socket: Socket,
  admission: Admission,
  { patchMode, logger, language }: { patchMode: PatchMode; logger: Logger; language: Language },
): Promise<Greeting> {
  const { handshake } = socket
  // A handshake has no answer to name them in.
  const { token, patch_mode } = parse(handshakeSchema, handshake.auth ?? {}, (names) =>
    logIgnored(logger, 'the handshake', names),
  )
  const presented = token === null ? presentedIn(handshake.headers) : { token, by: 'bearer' as const }
  const caller = await admission.admit(presented, handshake.address)
  return { caller, patchMode: patch_mode ?? patchMode, language: readerLanguage(socket, language) }
}

/** `language` of the handshake, else its `Accept-Language`, else the server's own. */
export function readerLanguage({ handshake }: Socket, fallback: Language): Language {
  const { language } = (handshake.auth ?? {}) as { language?: unknown }
  const wanted = typeof language === 'string' ? languageOfTag(language) : undefined
  return wanted ?? acceptedLanguage(handshake.headers['accept-language']) ?? fallback
}

/** As the library wants it: the client sees `message` and `data` in its `connect_error`. */
export function connectError(error: unknown, logger: Logger, language: Language): Error {
  const { code, message } = toldFailure(error, logger, readerFor({}, language))
  return Object.assign(new Error(code), { data: { code, detail: message } })
}
