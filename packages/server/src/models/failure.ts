import { isDeeper, parseBoundedJson } from '@parley/protocol/wire'
import type { FailureKind, ModelFailure } from '../ports.ts'
import { isRecord } from './shape.ts'

/** One server-sent event is never longer; a body that is all one line must not fill the memory. */
export const MAX_EVENT_CHARACTERS = 16_000_000
/** Of the body of an error, this much is read. */
export const MAX_ERROR_CHARACTERS = 64_000
/** Of what an error says, this much is looked at: our patterns are not linear. */
const MAX_SAID_CHARACTERS = 2_000
/** The longest wait that a provider can ask for; nobody waits a day. */
const MAX_RETRY_AFTER_MS = 86_400_000

/** What is known when a provider says no: a status if HTTP got that far, the body as text or as parsed JSON. */
export type ProviderError = {
  /** Our id of the model; opens the message. */
  model: string
  status?: number
  body: unknown
  headers?: Readonly<Record<string, string | string[] | undefined>>
  incomplete: boolean
  /** Never appears in the message, even if the provider repeats it. */
  secret?: string
}

/** Translates a provider's error into one of our kinds, with a message for people that holds no key. */
export function failureOf({ model, status, body, headers, incomplete, secret }: ProviderError): ModelFailure {
  const said = whatItSaid(body)
  const kind = kindOf(status ?? said.status, said)
  const retryAfterMs = retryAfterOf(headers)
  const detail = withoutKeys(said.message, secret) || (isWebPage(body) && pageFor(kind)) || 'no details given'
  return {
    kind,
    message: `${model}: ${SUMMARIES[kind]}${status === undefined ? '' : ` (HTTP ${status})`}: ${detail}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(kind === 'overflow' && windowIn(said.message)),
    incomplete,
  }
}

/** Something answered that knows nothing of models: the address is another one than was meant. */
export const WEB_PAGE = 'that is a web page, not a model. Does the address end in /v1?'

export function isWebPage(body: unknown): boolean {
  return typeof body === 'string' && /^\s*<(?:!doctype html|html)\b/i.test(body)
}

/** What the two clients that we ask providers with say when a time was over. */
const SILENCE = /^no data for \d+ ms|\b(?:Body|Headers) Timeout Error\b|\bETIMEDOUT\b/

/** The provider could not be reached, or stopped in the middle of an answer. */
export function networkFailure(model: string, cause: string, incomplete: boolean): ModelFailure {
  const message = incomplete
    ? `the connection broke off during the answer: ${cause}`
    : `cannot reach the model: ${cause}`
  return {
    kind: 'network',
    message: `${model}: ${message}`,
    incomplete,
    ...(SILENCE.test(cause) && { isTimeout: true }),
  }
}

/** The provider answered, but not in the language of its wire. */
export function unreadableFailure(model: string, what: string, incomplete: boolean): ModelFailure {
  return { kind: 'server', message: `${model}: ${SUMMARIES.server}: ${what}`, incomplete }
}

/** Removes what looks like a key, and `secret` itself, from text that a provider wrote. */
export function withoutKeys(text: string, secret?: string): string {
  const said = text.slice(0, MAX_SAID_CHARACTERS)
  const cleaned = secret && secret.length >= 4 ? said.replaceAll(secret, '[key]') : said
  return cleaned
    .replace(/\bBearer\s+\S+/gi, 'Bearer [key]')
    .replace(/\b(?:sk|gsk|xai|pk)-[\w*.-]{6,}/g, '[key]')
    .trim()
    .slice(0, 600)
}

const SUMMARIES: Record<FailureKind, string> = {
  rate_limit: 'the provider limits the rate of requests',
  overflow: 'the conversation does not fit into the context window',
  auth: 'the provider refused the key or the account',
  network: 'cannot reach the model',
  timeout: 'the model was silent for too long',
  server: 'the provider failed',
  refused: 'the provider refused the content',
  invalid: 'the provider rejected the request',
}

/** A gateway that fails, or wants a key, says so with a page as well. */
function pageFor(kind: FailureKind): string {
  return kind === 'invalid' ? WEB_PAGE : 'it sent a web page'
}

type Said = { message: string; code: string; status: number | undefined }

/** Finds message and code in the shapes that providers use: `{error:{message}}`, `{error:"…"}`, `{detail:…}`, text. */
function whatItSaid(body: unknown): Said {
  // Whatever words a page has, they are not about this request.
  if (isWebPage(body)) return { message: '', code: '', status: undefined }
  const value = typeof body === 'string' ? (parseBoundedJson(body) ?? body) : body
  if (typeof value === 'string') return { message: said(value), code: '', status: undefined }
  if (!isRecord(value)) return { message: '', code: '', status: undefined }
  const error = isRecord(value['error']) ? value['error'] : value
  const { code, type } = error
  return {
    message: said(messageIn(error, value)),
    code: said([code, type].filter((part) => typeof part === 'string').join(' ')),
    status: typeof code === 'number' && code >= 400 && code < 600 ? code : undefined,
  }
}

function messageIn(error: Record<string, unknown>, whole: Record<string, unknown>): string {
  for (const candidate of [error['message'], whole['error'], whole['message'], whole['detail']])
    if (typeof candidate === 'string' && candidate) return candidate
  return isDeeper(whole) ? '' : JSON.stringify(whole)
}

function said(text: string): string {
  return text.slice(0, MAX_SAID_CHARACTERS)
}

function kindOf(status: number | undefined, { message, code }: Said): FailureKind {
  if (/insufficient_quota|billing|credit balance/i.test(`${code} ${message}`) || status === 402) return 'auth'
  if (status === 429 || /rate_limit|too_many_requests|throttl/i.test(code)) return 'rate_limit'
  if (status === undefined || (status >= 400 && status < 500) || status === 500)
    if (OVERFLOW_CODES.test(code) || OVERFLOW_MESSAGES.some((pattern) => pattern.test(message))) return 'overflow'
  if (/content_filter|content_policy|moderation|safety|data_inspection/i.test(code)) return 'refused'
  if (status === 401 || status === 403 || /authentication|permission|invalid_api_key/i.test(code)) return 'auth'
  if (status === 413) return 'overflow'
  if (status === 408 || status === 409 || status === 425) return 'server'
  if (status !== undefined) return status >= 500 ? 'server' : 'invalid'
  return /invalid|bad_request|not_found|unsupported/i.test(code) ? 'invalid' : 'server'
}

const OVERFLOW_CODES = /context_length_exceeded|exceed_context_size|context_window_exceeded|request_too_large|\b1261\b/i

/** How providers say "too long" when their code does not; each line was seen at the provider named beside it. */
const OVERFLOW_MESSAGES = [
  /maximum context length/i, // OpenAI, vLLM, DeepSeek, OpenRouter, Mistral
  /prompt is too long/i, // Anthropic
  /input length and `?max_tokens`? exceed context limit/i, // Anthropic
  /input token count.*exceeds the maximum/i, // Gemini
  /exceeds? the available context size/i, // llama.cpp
  /(input|prompt) (length|tokens?) exceeds? the context (length|window)/i, // Ollama
  /context the overflows|greater than the context length/i, // LM Studio
  /input is too long for requested model/i, // Bedrock
  /maximum prompt length is/i, // xAI
  /total number of tokens in the prompt cannot exceed/i, // Cohere
  /range of input length should be/i, // DashScope
  /exceeded model token limit/i, // Moonshot
  /prompt exceeds max length|prompt 超长/i, // Zhipu
  /context window exceeds limit/i, // MiniMax
  /reduce the length of the messages/i, // Groq
  /tokens \+ `?max_new_tokens`? must be/i, // Together, TGI
]

/** How providers tell their window when a call does not fit into it; the number is the first group. */
const WINDOW_MESSAGES = [
  /maximum context length (?:is|of) (?:only )?([\d,_]+)/i, // OpenAI, vLLM, DeepSeek, OpenRouter
  /> ([\d,_]+) maximum/i, // Anthropic
  /exceed context limit: \d+ \+ \d+ > ([\d,_]+)/i, // Anthropic
  /exceeds the maximum number of tokens allowed \(?([\d,_]+)/i, // Gemini
  /available context size \(([\d,_]+)/i, // llama.cpp
  /context (?:length|window|size)(?: of(?: only)?| is| limit(?: is| of)?|:| =)? ?([\d,_]+)/i, // Ollama, LM Studio, MiniMax
  /maximum prompt length is ([\d,_]+)/i, // xAI
  /prompt cannot exceed ([\d,_]+)/i, // Cohere
  /range of input length should be \[\d+, ?([\d,_]+)\]/i, // DashScope
  /model token limit: ([\d,_]+)/i, // Moonshot
  /must be <= ([\d,_]+)/i, // Together, TGI
]
/** Outside these it is some other number. */
const SMALLEST_WINDOW = 256
const LARGEST_WINDOW = 100_000_000

function windowIn(message: string): { contextWindow?: number } {
  for (const pattern of WINDOW_MESSAGES) {
    const tokens = Number(pattern.exec(message)?.[1]?.replace(/[,_]/g, '') ?? Number.NaN)
    if (tokens >= SMALLEST_WINDOW && tokens <= LARGEST_WINDOW) return { contextWindow: tokens }
  }
  return {}
}

/** Seconds, milliseconds or a date; a date is read against the provider's own clock, so that ours does not matter. */
function retryAfterOf(headers: ProviderError['headers']): number | undefined {
  const header = (name: string) => String(headers?.[name] ?? '').trim()
  const milliseconds = Number(header('retry-after-ms') || Number.NaN)
  if (milliseconds >= 0) return bounded(milliseconds)
  const seconds = Number(header('retry-after') || Number.NaN)
  if (seconds >= 0) return bounded(seconds * 1000)
  const until = Date.parse(header('retry-after')) - Date.parse(header('date'))
  return until >= 0 ? bounded(until) : undefined
}

function bounded(ms: number): number {
  return Math.min(Math.ceil(ms), MAX_RETRY_AFTER_MS)
}
