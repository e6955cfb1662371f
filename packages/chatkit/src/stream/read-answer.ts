import { chatKitError, type ChatKitError, codeOfStatus } from '../model/chat-kit-error.ts'
import { parseJson } from './parse-json.ts'

/** A body that is not JSON still says something: a proxy's error page, a plain sentence. */
export async function readBody(response: Response): Promise<unknown> {
  const text = await response.text()
  return parseJson(text) ?? { message: text.slice(0, 500) }
}

export function isJsonResponse(response: Response): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\b/i.test(response.headers.get('content-type') ?? '')
}

/** A failure nobody knows better than by its status. The body is the cause, never part of the message. */
export function httpError(status: number, body: unknown): ChatKitError {
  const code = codeOfStatus(status)
  return chatKitError(code, `The server answered with status ${status}.`, {
    status,
    cause: body,
    retryable: status >= 500 || code === 'rate_limited' || code === 'timeout' || code === 'busy',
  })
}
