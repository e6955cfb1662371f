import { failureOf, networkFailure, unreadableFailure, withoutKeys } from '../failure.ts'
import type { ModelFailure } from '../../ports.ts'

type Context = { model: string; secret: string; incomplete: boolean }

/** What the provider packages throw, or send as an `error` part, seen structurally: two copies of them must agree. */
type ErrorLike = {
  name?: string
  message?: string
  cause?: unknown
  statusCode?: number
  responseHeaders?: Record<string, string>
  responseBody?: string
  data?: unknown
}

/** One of our failures for whatever a provider package threw or sent. */
export function failureOfError(error: unknown, { model, secret, incomplete }: Context): ModelFailure {
  const { name, message = String(error), cause, statusCode, responseHeaders, responseBody, data } = asErrorLike(error)
  if (name === 'AI_JSONParseError') return unreadableFailure(model, 'it sent something that is not JSON', incomplete)
  if (name === 'AI_InvalidResponseDataError' && message.includes('without a finish reason'))
    return unreadableFailure(model, 'its answer ended without a finish reason', incomplete)
  if (name === 'AI_TypeValidationError' || name === 'AI_InvalidResponseDataError')
    return unreadableFailure(model, 'its answer has an unknown form', incomplete)
  if (name === 'AI_LoadAPIKeyError') return { kind: 'auth', message: `${model}: the key is missing.`, incomplete }
  // A status of 200 on an error means that the body broke off, not that something answered.
  const isConnection = name === 'AI_APICallError' && (statusCode === undefined || statusCode === 200)
  if (isConnection) return networkFailure(model, withoutKeys(rootMessage(cause) || message, secret), incomplete)
  if (error instanceof Error && statusCode === undefined)
    return { kind: 'invalid', message: `${model}: ${withoutKeys(message, secret)}`, incomplete }
  return failureOf({
    model,
    body: responseBody || data || { error },
    incomplete,
    secret,
    ...(statusCode === undefined ? {} : { status: statusCode }),
    ...(responseHeaders ? { headers: responseHeaders } : {}),
  })
}

function asErrorLike(error: unknown): ErrorLike {
  return typeof error === 'object' && error !== null ? error : {}
}

/** `fetch` wraps what happened at the socket, sometimes twice. */
function rootMessage(cause: unknown): string {
  let message = ''
  for (let at: unknown = cause; at instanceof Error; at = at.cause) message = at.message || message
  return message
}
