import { request as httpRequest } from 'node:http'
import type { Agent } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { parseBoundedJson } from '@parley/protocol/wire'
import { failureOf, isWebPage, networkFailure } from '../failure.ts'
import type { ModelFailure } from '../../ports.ts'
import { isRecord } from '../shape.ts'
import { readProviderBody } from './read-provider-body.ts'

export type ModelServer = {
  id: string
  baseUrl: URL
  apiKey?: string
  /** How it wants its key. Default: as a bearer's. */
  headers?: Readonly<Record<string, string>>
  agent: Agent
  timeoutMs: number
}

/** Gateways list hundreds of models, with a page of text about each. */
const MAX_LIST_CHARACTERS = 8_000_000
const MAX_LISTED = 500
const MAX_NAME_CHARACTERS = 200

/** What a server calls its models, in its own order, each once: the names of `GET /models`. At least one. */
export async function listModels(server: ModelServer, signal: AbortSignal): Promise<string[] | ModelFailure> {
  const { id, apiKey } = server
  try {
    const { status, body } = await get(server, signal)
    const failed = { model: id, status, incomplete: false, ...(apiKey ? { secret: apiKey } : {}) }
    if (status >= 400) return failureOf({ ...failed, body })
    const names = namesIn(parseBoundedJson(body))
    if (names.length > 0) return names
    if (isWebPage(body)) return failureOf({ ...failed, body })
    return failureOf({ ...failed, body: 'The server lists no model. Load one, or name one with PARLEY_MODEL.' })
  } catch (error) {
    return networkFailure(id, error instanceof Error ? error.message : String(error), false)
  }
}

/** A name that can be shown, stored and sent back. */
export function isModelName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && name.length <= MAX_NAME_CHARACTERS && !/\p{C}/u.test(name)
}

function namesIn(list: unknown): string[] {
  const entries: unknown[] = isRecord(list) && Array.isArray(list['data']) ? list['data'] : []
  const names = entries.map((entry) => (isRecord(entry) ? entry['id'] : undefined)).filter(isModelName)
  return [...new Set(names)].slice(0, MAX_LISTED)
}

async function get({ baseUrl, apiKey, headers, agent, timeoutMs }: ModelServer, signal: AbortSignal) {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/models`
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>()
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    agent,
    signal,
    timeout: timeoutMs,
    headers: headers ?? (apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
  })
  let isAnswered = false
  request.on('response', (response) => {
    isAnswered = true
    const { statusCode: status = 0 } = response
    void readProviderBody(response, MAX_LIST_CHARACTERS).then((body) => {
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
