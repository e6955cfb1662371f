import { request as httpRequest } from 'node:http'
import type { Agent } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { failureOf, networkFailure } from '../failure.ts'
import type { ModelFailure } from '../../ports.ts'

export type FirstModelOptions = { id: string; baseUrl: URL; apiKey?: string; agent: Agent; timeoutMs: number }

/**
 * Finds out what a server calls its model when nobody told us: the first one of `GET /models`. The answer is kept, a
 * failure is not: a server that was down at the first question is asked again at the next.
 */
export function firstModel(options: FirstModelOptions): (signal: AbortSignal) => Promise<string | ModelFailure> {
  let known: string | undefined
  return async (signal) => {
    if (known !== undefined) return known
    const found = await askForModels(options, signal)
    if (typeof found === 'string') known = found
    return found
  }
}

async function askForModels(options: FirstModelOptions, signal: AbortSignal): Promise<string | ModelFailure> {
  const { id, apiKey } = options
  try {
    const { status, body } = await get(options, signal)
    const failed = { model: id, status, incomplete: false, ...(apiKey ? { secret: apiKey } : {}) }
    if (status >= 400) return failureOf({ ...failed, body })
    const models: unknown = JSON.parse(body)
    const name = (models as { data?: { id?: unknown }[] }).data?.[0]?.id
    if (typeof name === 'string') return name
    return failureOf({ ...failed, body: 'The server lists no model. Load one, or name one with PARLEY_MODEL.' })
  } catch (error) {
    return networkFailure(id, error instanceof Error ? error.message : String(error), false)
  }
}

async function get({ baseUrl, apiKey, agent, timeoutMs }: FirstModelOptions, signal: AbortSignal) {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/models`
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>()
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    agent,
    signal,
    timeout: timeoutMs,
    headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
  })
  request.on('response', (response) => {
    text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
  })
  request.on('error', reject)
  request.on('timeout', () => request.destroy(new Error(`no data for ${timeoutMs} ms`)))
  request.end()
  return promise
}
