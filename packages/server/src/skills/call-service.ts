import { boundResult } from '@parley/tools'
import { isTextDeeper } from '@parley/protocol/wire'
import type { Egress } from '../egress/egress.ts'
import type { Trust } from '../egress/policy.ts'
import type { Operation } from '../foreign/read-openapi.ts'
import type { JsonObject, JsonValue, ToolOutput } from '../ports.ts'
import type { ToolContext } from '../tools/define-tool.ts'

const TIMEOUT_MS = 30_000
const MAX_BYTES = 1024 * 1024
/** Of what a service says when it refuses. */
const SAID_CHARACTERS = 2_000

/** Where a call of the operation goes, without its credentials. Throws when an argument would lead elsewhere. */
export function urlOf({ base, path, parameters }: Operation, given: JsonObject): URL {
  const filled = path.replaceAll(/\{([^}]*)\}/g, (_hole, name: string) => encodeURIComponent(textOf(given[name] ?? '')))
  const url = new URL(base + filled)
  // `..` in an argument would be taken for a folder.
  if (base + filled !== url.href) {
    const asWritten = new URL(base).pathname.replace(/\/+$/, '') + filled
    if (url.pathname !== asWritten) throw new Error('An argument would change the path of the request.')
  }
  for (const { name, in: place } of parameters) {
    const value = given[name]
    if (place !== 'query' || value === undefined || value === null) continue
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, textOf(one))
  }
  return url
}

/** One request. What the service refuses is an error result; a throw names no address but the operation's own. */
export async function callService(
  operation: Operation,
  { input, context, trust }: { input: JsonObject; context: ToolContext; trust: Trust },
  egress: Egress,
): Promise<ToolOutput> {
  const url = urlOf(operation, input)
  const headers = headersOf(operation, { input, url, env: context.env })
  const body = operation.body === null ? undefined : input[operation.body]
  const { status, isTruncated, ...answer } = await egress.request(url, {
    ...{ trust, method: operation.method, headers, signal: context.signal },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...{ timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, maxRedirects: 0 },
  })
  const text = Buffer.from(answer.body).toString('utf8')
  if (status < 200 || status > 299)
    return {
      result: `The service answered with status ${status}.\n${text.slice(0, SAID_CHARACTERS)}`.trimEnd(),
      isError: true,
    }
  if (isTruncated) return { result: `The answer is larger than ${MAX_BYTES} bytes. Ask for less.`, isError: true }
  return { result: boundResult(valueOf(text)) }
}

type Asking = { input: JsonObject; url: URL; env: ToolContext['env'] }

/** Adds what proves who asks, in the query as well. */
function headersOf({ parameters, body, credentials }: Operation, { input, url, env }: Asking): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json', 'user-agent': 'parley' }
  if (body !== null) headers['content-type'] = 'application/json'
  for (const { name, in: place } of parameters)
    if (place === 'header' && input[name] !== undefined) headers[name.toLowerCase()] = textOf(input[name])
  for (const { kind, name, variable } of credentials) {
    const value = env[variable]
    if (value === undefined || value === '')
      throw new Error(
        `The session has no variable ${variable}, which this service wants. Whoever began it can set it with PUT …/env.`,
      )
    if (kind === 'query') url.searchParams.set(name, value)
    else if (kind === 'basic') headers['authorization'] = `Basic ${Buffer.from(value).toString('base64')}`
    else headers[name.toLowerCase()] = kind === 'bearer' ? `Bearer ${value}` : value
  }
  return headers
}

function valueOf(text: string): JsonValue {
  if (text.trim() === '') return 'Done.'
  if (isTextDeeper(text)) return text
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}

function textOf(value: JsonValue): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}
