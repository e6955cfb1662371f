import type { IncomingHttpHeaders } from 'node:http'
import { AgentError } from '@parley/protocol'
import { MAX_JSON_DEPTH } from '@parley/protocol/wire'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Admission } from '../../http/admission.ts'
import { STRANGER_BYTES } from '../../http/limits.ts'
import { tells } from '../../http/told.ts'
import type { HttpTools } from './http-tools.ts'
import type { OutstandingCalls } from './outstanding-calls.ts'
import { readAnswer, RESULT_BYTES } from './read-answer.ts'
import { isSignedWith, type Signed, TOLERANCE_SECONDS } from './signature.ts'

export type CallBackRouteOptions = {
  tools: Pick<HttpTools, 'find'>
  calls: OutstandingCalls
  admission: Admission
  /** Milliseconds since 1970. */
  now: () => number
}

/** As `readAnswer` reads it; the bytes themselves are what is signed. */
const resultSchema = z.union([z.strictObject({ result: z.unknown() }), z.strictObject({ error: z.string() })])

type OneCall = { Params: { call_id: string } }
type Head = Omit<Signed, 'body'> & { signature: string }
type Sender = { session_id: string; secret: string; head: Head }

/** One answer for everything that does not fit: nobody learns which calls there are. */
const REFUSED = 'There is no such call, or it is not signed as this call must be, or the signature is too old.'

/**
 * [W12.11.5] A backend brings the result of a call that it answered with 202. No key: the signature is the credential. Its
 * body is read only for a call that exists, whose id nobody guesses.
 */
export function callBackRoute(app: FastifyInstance, { tools, calls, admission, now }: CallBackRouteOptions): void {
  const senders = new WeakMap<FastifyRequest, Sender>()
  const refuse = (request: FastifyRequest) => admission.refusal(request.ip, 'call back', REFUSED)
  // Counted for this call alone: whoever shares an address with its backend can be in nobody else's way.
  const unsigned = ({ ip }: FastifyRequest, id: string) => admission.refusal(ip, `call back ${id}`, REFUSED)

  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // As it came: the signature is over its bytes.
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

    scope.addHook<OneCall>('onRequest', async (request) => {
      const { call_id } = request.params
      const head = readHead(request.headers)
      if (!head || head.id !== call_id || Math.abs(now() / 1_000 - head.seconds) > TOLERANCE_SECONDS)
        throw refuse(request)
      const call = await calls.find(call_id)
      const tool = call && (await tools.find(call.tool))
      if (!tool) throw refuse(request)
      if (!isSmall(request.headers)) admission.demandPatience(request.ip, `call back ${call_id}`)
      senders.set(request, { session_id: call.session_id, secret: tool.secret, head })
    })

    const told = tells({
      says: ['A backend brings the result of a call, signed', '后端回传工具调用结果（须签名）'],
      body: resultSchema,
    })
    const bringing = { ...told, bodyLimit: RESULT_BYTES }
    scope.post<OneCall>('/api/tool-calls/:call_id/result', bringing, async (request, reply) => {
      const { session_id, secret, head } = senders.get(request)!
      const body = request.body instanceof Uint8Array ? request.body : new Uint8Array()
      if (!isSignedWith(secret, { ...head, body }, head.signature)) throw unsigned(request, head.id)
      const { call_id } = request.params
      const outcome = await calls.answer(session_id, { call_id, ...readBody(body) })
      if (outcome === 'stored' || outcome === 'same') return reply.code(204).send()
      if (outcome === 'other')
        throw new AgentError('already_decided', `Call ${call_id} has another result already; the first one counts.`)
      throw new AgentError(
        'not_running',
        `Nobody waits for call ${call_id} any more: it was stopped, answered or given up.`,
      )
    })
  })
}

/** So little that it is read of anybody: the right signature is found out whatever came before. */
function isSmall({ 'content-length': length }: IncomingHttpHeaders): boolean {
  return length !== undefined && Number(length) <= STRANGER_BYTES
}

function readHead(headers: IncomingHttpHeaders): Head | undefined {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string') return undefined
  return /^\d{1,12}$/.test(timestamp) ? { id, seconds: Number(timestamp), signature } : undefined
}

function readBody(bytes: Uint8Array) {
  const read = readAnswer(bytes)
  if ('wrong' in read) throw new AgentError('invalid_payload', WRONG[read.wrong])
  const [field] = read.ignored
  if (field !== undefined)
    throw new AgentError('invalid_payload', `${field.slice(0, 100)}: There is no such field; known are result, error.`)
  return { output: read.output, digest: read.digest }
}

const WRONG = {
  deep: `The body nests deeper than ${MAX_JSON_DEPTH} levels.`,
  'no JSON': 'The body is no JSON.',
  neither: 'The body must have a result, or an error, which is a sentence; not both.',
}
