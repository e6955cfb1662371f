import { chatKitError, type ChatKitError, type ChatKitErrorCode, codeOfStatus } from '../../model/chat-kit-error.ts'
import { asObject, asText } from '../../stream/parse-json.ts'

const CODES: Record<string, { code: ChatKitErrorCode; retryable?: boolean }> = {
  4000: { code: 'server', retryable: false },
  4013: { code: 'rate_limited' },
  4016: { code: 'busy' },
  4100: { code: 'auth' },
  4101: { code: 'forbidden' },
  4200: { code: 'not_found' },
  700012006: { code: 'auth' },
}

/** Coze reports a bad token at any status, also 200. */
export function isCozeAuthError(status: number, body: unknown): boolean {
  const code = codeIn(body)
  if (code === '4101') return /token/i.test(asText(asObject(body)['msg']))
  return status === 401 || code === '4100' || code === '700012006'
}

/** A body or event that reports a failure; `code` 0 is success. */
export function cozeError(status: number, body: unknown, headers?: Headers): ChatKitError | undefined {
  const platformCode = codeIn(body)
  if (status < 400 && (platformCode === '' || platformCode === '0')) return undefined
  const known = isCozeAuthError(status, body) ? { code: 'auth' as const } : CODES[platformCode]
  const code = known?.code ?? (status >= 400 ? codeOfStatus(status) : 'server')
  const requestID = asText(asObject(asObject(body)['detail'])['logid']) || (headers?.get('x-tt-logid') ?? '')
  return chatKitError(code, `Coze reported an error${platformCode && `: ${platformCode}`}.`, {
    cause: body,
    ...(known && 'retryable' in known && { retryable: known.retryable }),
    ...(status > 0 && { status }),
    ...(platformCode && platformCode !== '0' && { platformCode }),
    ...(requestID && { requestID }),
  })
}

/** Ids and codes are compared as text: Coze's exceed what a number can hold. */
function codeIn(body: unknown): string {
  const { code } = asObject(body)
  return typeof code === 'number' || typeof code === 'string' ? String(code) : ''
}
