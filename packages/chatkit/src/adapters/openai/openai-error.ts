import { chatKitError, type ChatKitError, codeOfStatus } from '../../model/chat-kit-error.ts'
import { asObject, asText } from '../../stream/parse-json.ts'

const TOKEN_CODES: ReadonlySet<string> = new Set(['invalid_api_key', 'token_expired', 'invalid_token'])

/** `{ error: { message, type?, param?, code? } }`, as a body or as a frame. */
export function openaiError(status: number, body: unknown): ChatKitError | undefined {
  const { error } = asObject(body)
  if (!error) return undefined
  const platformCode = codeIn(error)
  const code = isOpenAIAuthError(status, body) ? 'auth' : codeOf(status, platformCode)
  const name = platformCode ? `: ${platformCode}` : ''
  return chatKitError(code, `The model's server reported an error${name}.`, {
    cause: body,
    retryable: code !== 'auth' && (status === 0 || status >= 500 || code === 'rate_limited'),
    ...(status > 0 && { status }),
    ...(platformCode && { platformCode }),
  })
}

export function isOpenAIAuthError(status: number, body: unknown): boolean {
  return status === 401 || TOKEN_CODES.has(codeIn(asObject(body)['error']))
}

function codeIn(error: unknown): string {
  const { code, type } = asObject(error)
  return typeof code === 'number' ? String(code) : asText(code) || asText(type)
}

function codeOf(status: number, platformCode: string) {
  if (/rate_limit|quota|^429$/.test(platformCode)) return 'rate_limited'
  return status > 0 ? codeOfStatus(status) : 'server'
}
