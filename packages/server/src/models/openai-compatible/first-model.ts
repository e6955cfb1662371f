import { request as httpRequest } from 'node:http'
import type { Agent } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { parseBoundedJson } from '@parley/protocol'
import { failureOf, isWebPage, networkFailure } from '../failure.ts'
import type { ModelFailure } from '../../ports.ts'
import { isRecord } from '../shape.ts'
import { readBody } from './read-body.ts'

export type FirstModelOptions = { id: string; baseUrl: URL; apiKey?: string; agent: Agent; timeoutMs: number }

/** Gateways list hundreds of models, with a page of text about each. */
const MAX_LIST_CHARACTERS = 8_000_000
const MAX_NAME_CHARACTERS = 500

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
    const name = firstName(parseBoundedJson(body))
    if (name !== undefined) return name
    if (isWebPage(body)) return failureOf({ ...failed, body })
    return failureOf({ ...failed, body: 'The server lists no model. Load one, or name one with PARLEY_MODEL.' })
  } catch (error) {
    return networkFailure(id, error instanceof Error ? error.message : String(error), false)
  }
}

function firstName(list: unknown): string | undefined {
  const first: unknown = isRecord(list) && Array.isArray(list['data']) ? list['data'][0] : undefined
  const name = isRecord(first) ? first['id'] : undefined
  return typeof name === 'string' && name !== '' && name.length <= MAX_NAME_CHARACTERS ? name : undefined
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
  let isAnswered = false
  request.on('response', (response) => {
    isAnswered = true
    const { statusCode: status = 0 } = response
    void readBody(response, MAX_LIST_CHARACTERS).then((body) => {
      if (response.complete || status >= 400) resolve({ status, body })
      else reject(new Error('the list of models broke off, or has no end'))
    })
  })
  request.on('error', reject)
  request.on('close', () => {
    if (!isAnswered) reject(new Error('the server closed the connection without an answer'))
  })
  request.on('timeout', () => request.destroy(new Error(`no data for ${timeoutMs} ms`)))
  request.end()
  return promise
}
