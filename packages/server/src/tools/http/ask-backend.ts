import { MAX_JSON_DEPTH } from '@parley/protocol/wire'
import { type Egress } from '../../egress/egress.ts'
import { EgressError, type EgressErrorCode } from '../../egress/egress-error.ts'
import type { ResponseHead } from '../../egress/request.ts'
import type { Clock, ToolOutput } from '../../ports.ts'
import type { Values } from '../../words/filled.ts'
import { say } from '../../words/phrases.ts'
import type { RESULTS } from '../../words/phrases/results.ts'
import type { KeyedTool } from './config.ts'
import { readAnswer, RESULT_BYTES } from './read-answer.ts'
import { signedHeaders } from './signature.ts'

export type BackendRequest = {
  tool: KeyedTool
  call_id: string
  body: string
  timeoutMs: number
  /** An earlier request of this call may have taken effect: nobody may say that nothing was done. */
  isAgain: boolean
  signal: AbortSignal
}

/** What came of one request. */
export type BackendAnswer =
  | { type: 'result'; output: ToolOutput; ignored: string[] }
  /** 202: a call back will bring the result. */
  | { type: 'later' }
  | Failed

export type Failed = {
  type: 'failed'
  /** For the model and for people; names no address. */
  message: string
  /** For operators: what lies behind it. */
  reason: string
  /** Asking again may help. */
  mayRetry: boolean
  /** The backend may have done it all the same. */
  isUnknown: boolean
  /** What the backend asked us to wait. */
  retryAfterMs?: number
}

const BUSY = [408, 425, 429]
const SHOWN = 100

/** One signed POST. Whatever the backend does is a value; only an abort throws. */
export async function askBackend(
  { tool, call_id, body, timeoutMs, isAgain, signal }: BackendRequest,
  { egress, clock, version }: { egress: Egress; clock: Clock; version: string },
): Promise<BackendAnswer> {
  const { name, url, trust, secret } = tool
  const signed = { id: call_id, seconds: Math.floor(clock.now() / 1_000), body }
  const headers = {
    ...signedHeaders(secret, signed),
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': `parley/${version}`,
  }
  try {
    const answer = await egress.request(url, {
      ...{ trust, method: 'POST', headers, body, signal, timeoutMs },
      maxBytes: RESULT_BYTES,
      maxRedirects: 0,
      inspect: (head) => demandResult(head, clock.now()),
    })
    if (answer.isTruncated) return failed('result.httpLong', name, { bytes: RESULT_BYTES })
    const read = readAnswer(answer.body)
    if ('wrong' in read) return failed(WRONG[read.wrong], name, { levels: MAX_JSON_DEPTH })
    return { type: 'result', output: read.output, ignored: read.ignored }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Answered) return answered(error, name, isAgain)
    if (error instanceof EgressError) return unanswered(error, tool, isAgain)
    throw error
  }
}

const WRONG = { deep: 'result.httpDeep', 'no JSON': 'result.httpNoJson', neither: 'result.httpNeither' } as const

/** A head that tells all: the body behind it is not read. */
class Answered extends Error {
  readonly status: number
  readonly retryAfterMs: number | undefined
  readonly kind: string

  constructor({ status, headers }: ResponseHead, now: number) {
    super(`status ${status}`)
    this.status = status
    this.retryAfterMs = retryAfter(headers.get('retry-after'), now)
    this.kind = kindOf(headers)
  }
}

function demandResult(head: ResponseHead, now: number): void {
  if (head.status !== 200 || !/^application\/(?:[\w.-]+\+)?json$/.test(kindOf(head.headers)))
    throw new Answered(head, now)
}

function answered({ status, retryAfterMs, kind }: Answered, tool: string, isAgain: boolean): BackendAnswer {
  if (status === 202) return { type: 'later' }
  if (status === 200) return failed('result.httpKind', tool, { kind })
  const mayRetry = BUSY.includes(status) || status >= 500
  return {
    ...failed(isAgain ? 'result.httpStatusAgain' : 'result.httpStatus', tool, { status }),
    mayRetry,
    isUnknown: status >= 500,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}

function unanswered(error: EgressError, { name, timeoutMs }: KeyedTool, isAgain: boolean): Failed {
  const { code, message: reason } = error
  const isDown = code === 'not_found' || (code === 'network' && wasNeverSent(error))
  const down = isAgain ? 'result.httpDownAgain' : 'result.httpDown'
  const phrase = isDown ? down : UNANSWERED[code]
  const mayRetry = code === 'network' || code === 'not_found'
  return { ...failed(phrase, name, { ms: timeoutMs }), reason, mayRetry, isUnknown: code === 'network' && !isDown }
}

const UNANSWERED: Record<Exclude<EgressErrorCode, 'not_found'>, ResultKey> = {
  refused_url: 'result.httpRefused',
  refused_host: 'result.httpRefused',
  other_host: 'result.httpRedirect',
  too_many_redirects: 'result.httpRedirect',
  timeout: 'result.httpSilent',
  network: 'result.httpBroke',
}

/** Failures of connecting: the backend has not seen a byte of the request. Of all others nobody knows. */
const NEVER_SENT =
  /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS\w*|\w*CERT\w*)$/

function wasNeverSent(error: Error): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if (NEVER_SENT.test(String((at as NodeJS.ErrnoException).code)) || at.message === 'bad port') return true
  return false
}

type ResultKey = Extract<keyof typeof RESULTS, `result.http${string}`>

function failed(phrase: ResultKey, tool: string, values: Values): Failed {
  const message = say(phrase, 'en', { ...values, tool })
  return { type: 'failed', message, reason: message, mayRetry: false, isUnknown: false }
}

/** The media type alone, as far as one can be read. */
function kindOf(headers: ResponseHead['headers']): string {
  const given = headers.get('content-type') ?? ''
  return /^[\w.+-]+\/[\w.+-]+/.exec(given)?.[0].slice(0, SHOWN).toLowerCase() ?? 'nothing that has a type'
}

/** Seconds, or a date. */
function retryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
