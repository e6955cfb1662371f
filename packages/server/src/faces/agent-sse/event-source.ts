import type { FastifyReply, FastifyRequest } from 'fastify'
import { demandOwnPage, presentedIn } from '../../http/admission.ts'
import { idSchema } from './decode-request.ts'

const COOKIE = 'agent_session'

/** [S11] The session of a page that names none. */
export function readSessionCookie({ headers }: FastifyRequest): string | undefined {
  const pairs = headers.cookie?.split(';').map((pair) => pair.trim()) ?? []
  const value = pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1)
  return value !== undefined && idSchema.safeParse(value).success ? value : undefined
}

export function setSessionCookie(reply: FastifyReply, sessionId: string, publicUrl: string | undefined): void {
  const secure = publicUrl?.startsWith('https:') ? '; Secure' : ''
  reply.header('set-cookie', `${COOKIE}=${sessionId}; HttpOnly; SameSite=Lax; Path=/api/agent${secure}`)
}

/** [S11.5] A link on some page must neither send messages in the name of whoever follows it, nor choose their session. */
export function demandOwnEventSource({ headers }: FastifyRequest): void {
  if (presentedIn(headers)?.by === 'cookie') demandOwnPage('POST', headers)
}
