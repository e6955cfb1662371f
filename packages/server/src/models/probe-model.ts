import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ModelTestStep } from '@parley/protocol/rest'
import type { Egress } from '../egress/egress.ts'
import type { Trust } from '../egress/policy.ts'
import type { Model, ModelFailure } from '../ports.ts'
import { withoutKeys } from './failure.ts'
import { listModels, type ModelServer } from './openai-compatible/list-models.ts'

export type ProbedModel = {
  /** Asks once: nothing is tried again, and nobody else is asked. `undefined`: only the server is looked at. */
  model: Model | undefined
  /** What the provider calls it; empty when the server chooses. */
  name: string
  /** Absent: it is here, and nothing has to be reached. */
  server?: ModelServer & { trust: Trust }
}

type StepName = ModelTestStep['step']
type Found = Pick<ModelTestStep, 'detail' | 'models' | 'has_model'> & { failed?: true; skipped?: true }

const STEP_MS: Record<StepName, number> = {
  resolve: 5_000,
  connect: 10_000,
  key: 10_000,
  list: 10_000,
  // A server of one's own may have to load the model first.
  first_token: 30_000,
}
/** The least that every provider accepts. */
const TOKENS = 16
const ADDRESSES_SHOWN = 5

/** Walks the way of a message to a model, and stops where it ends: what each step took, and why the last one failed. */
export async function probeModel(
  { model, name, server }: ProbedModel,
  egress: Pick<Egress, 'check' | 'lookup'>,
  signal: AbortSignal,
): Promise<ModelTestStep[]> {
  const steps: ModelTestStep[] = []
  const secret = server?.apiKey
  const take = async (step: StepName, work: (stop: AbortSignal) => Promise<Found>) => {
    if (steps.some(({ status }) => status === 'failed')) return void steps.push(notTaken(step))
    const since = performance.now()
    const stop = AbortSignal.any([signal, AbortSignal.timeout(STEP_MS[step])])
    const found = await within(work(stop), stop).catch((error: unknown) => failed(wordsOf(error, stop)))
    const { failed: isFailed, skipped, detail: said, ...more } = found
    const status = isFailed ? 'failed' : skipped ? 'skipped' : 'ok'
    const detail = said === null ? null : withoutKeys(said, secret)
    steps.push({ step, status, ms: Math.round(performance.now() - since), detail, ...more })
  }

  await take('resolve', async () => (server ? resolve(server, egress) : nothing))
  await take('connect', async (stop) => (server ? connect(server, egress, stop) : nothing))
  // One request tells of both: a list is for those whose key is good.
  const listing = { found: undefined as string[] | ModelFailure | undefined }
  await take('key', async (stop) => {
    if (!server) return nothing
    listing.found = await listModels(server, stop)
    return keyIn(listing.found, secret)
  })
  await take('list', async () => listIn(listing.found, name))
  await take('first_token', async (stop) => (model ? firstToken(model, stop) : nothing))
  return steps
}

const nothing: Found = { detail: null, skipped: true }

function failed(detail: string): Found {
  return { detail, failed: true }
}

function notTaken(step: StepName): ModelTestStep {
  return { step, status: 'skipped', ms: 0, detail: null }
}

async function resolve(
  { baseUrl, trust }: NonNullable<ProbedModel['server']>,
  egress: Pick<Egress, 'check' | 'lookup'>,
) {
  egress.check(baseUrl, trust)
  const host = hostOf(baseUrl)
  if (isIP(host) !== 0) return { detail: host }
  const { promise, resolve: found, reject } = Promise.withResolvers<string[]>()
  egress.lookup(trust)(host, { all: true }, (error, addresses) => {
    if (error) reject(error)
    else found([addresses].flat().map((each) => (typeof each === 'string' ? each : each.address)))
  })
  return { detail: (await promise).slice(0, ADDRESSES_SHOWN).join(', ') }
}

async function connect(
  { baseUrl, trust }: NonNullable<ProbedModel['server']>,
  egress: Pick<Egress, 'lookup'>,
  stop: AbortSignal,
): Promise<Found> {
  const isTls = baseUrl.protocol === 'https:'
  const host = hostOf(baseUrl)
  const port = Number(baseUrl.port || (isTls ? 443 : 80))
  const where = { host, port, lookup: egress.lookup(trust) }
  const { promise, resolve: connected, reject } = Promise.withResolvers<void>()
  const socket: Socket = isTls
    ? connectTls({ ...where, ...(isIP(host) === 0 && { servername: host }) }, connected)
    : connectPlain(where, connected)
  socket.on('error', reject)
  stop.addEventListener('abort', () => socket.destroy(stop.reason as Error), { once: true })
  try {
    await promise
    return { detail: null }
  } finally {
    socket.destroy()
  }
}

function keyIn(found: string[] | ModelFailure, secret: string | undefined): Found {
  if (!Array.isArray(found) && found.kind === 'auth') return failed(found.message)
  // A server without a list does not say before it is asked for an answer.
  if (!secret || !Array.isArray(found)) return nothing
  return { detail: null }
}

function listIn(found: string[] | ModelFailure | undefined, name: string): Found {
  if (found === undefined) return nothing
  if (!Array.isArray(found))
    return found.kind === 'network' ? failed(found.message) : { ...nothing, detail: found.message }
  // Providers know models by more names than they list: the first token decides.
  return { detail: null, models: found.length, ...(name !== '' && { has_model: found.includes(name) }) }
}

async function firstToken(model: Model, signal: AbortSignal): Promise<Found> {
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'ping' }] }]
  for await (const event of model.stream({ system: '', messages, tools: [], maxOutputTokens: TOKENS, signal })) {
    if (event.type === 'failed') return failed(event.failure.message)
    if (event.type !== 'accepted' && event.type !== 'retry') return { detail: null }
  }
  throw signal.reason ?? new Error('The answer ended before it began.')
}

async function within<T>(work: Promise<T>, stop: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  stop.addEventListener('abort', () => reject(stop.reason as Error), { once: true })
  return Promise.race([work, promise])
}

function wordsOf(error: unknown, stop: AbortSignal): string {
  if (stop.aborted) return 'There was no answer in time.'
  const { message, code } = error as NodeJS.ErrnoException
  return message || code || 'unknown'
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}
