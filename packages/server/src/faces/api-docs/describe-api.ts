import { errorBodySchema } from '@parley/protocol/schemas'
import type { Told, ToldRoute } from '../../http/told.ts'
import { type JsonSchema, JsonSchemas } from './json-schema.ts'

export type ApiDescription = {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, JsonSchema> }
  security: Record<string, string[]>[]
}

export type Operation = {
  operationId: string
  tags: string[]
  summary: string
  /** The same in Chinese. */
  'x-summary-zh': string
  parameters: Parameter[]
  /** What becomes of parameters that are not listed. */
  'x-unknown-parameters': 'refused' | 'ignored'
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, { description: string; content?: Content }>
  security?: Record<string, string[]>[]
  /** Whom it is for: owners, people of the server, or also visitors whose token has this scope. Absent: everybody. */
  'x-needs'?: string
}

export type Parameter = { name: string; in: 'path' | 'query'; required: boolean; schema: JsonSchema }
export type Content = Record<string, { schema: JsonSchema }>

const JSON_TYPE = 'application/json'
const OF_SERVER = new Set(['config', 'demo', 'health', 'healthz', 'openapi.json', 'version'])
const BYTES: JsonSchema = { type: 'string', format: 'binary' }
const SUBJECT: Parameter = { name: 'subject', in: 'query', required: false, schema: { type: 'string' } }

/** [W3] OpenAPI 3.1 of everything that the routes tell of themselves. */
export function describeApi(routes: readonly ToldRoute[], version: string): ApiDescription {
  const schemas = new JsonSchemas()
  const paths: ApiDescription['paths'] = {}
  for (const route of routes.toSorted(byPath)) {
    const path = templateOf(route.url)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Parley', version, description: 'Agents over HTTP. Errors have a `code` and a `detail`.' },
    paths,
    components: {
      schemas: schemas.parts,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or a token of a visitor.' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'parley_login', description: 'Of a browser that signed in.' },
      },
    },
    security: [{ bearer: [] }, { cookie: [] }],
  }
}

function operationOf({ method, url, told, needs, bySubject }: ToldRoute, schemas: JsonSchemas): Operation {
  const [summary, inChinese] = told.says
  const parameters = [...inPath(url), ...inQuery(told, schemas), ...(bySubject ? [SUBJECT] : [])]
  const body = bodyOf(told, schemas)
  return {
    operationId: idOf(method, url),
    tags: [tagOf(url)],
    summary,
    'x-summary-zh': inChinese,
    parameters,
    'x-unknown-parameters': told.query && isStrict(schemas.input(told.query)) ? 'refused' : 'ignored',
    ...(body && { requestBody: body }),
    responses: responsesOf(told, schemas),
    ...(needs ? { 'x-needs': needs } : { security: [] }),
  }
}

function inPath(url: string): Parameter[] {
  const names = [...templateOf(url).matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
}

function inQuery({ query }: Told, schemas: JsonSchemas): Parameter[] {
  if (!query) return []
  const { properties = {}, required = [] } = schemas.input(query) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    ...{ name, in: 'query', required: required.includes(name), schema: asWritten(schema) },
  }))
}

/** In an address `true` is written like the text. */
function asWritten({ enum: values, ...schema }: JsonSchema): JsonSchema {
  if (!Array.isArray(values)) return schema
  return values.join() === 'true,false' ? { type: 'boolean' } : { ...schema, enum: values }
}

function isStrict({ additionalProperties }: JsonSchema): boolean {
  return additionalProperties === false
}

function bodyOf({ body, takes }: Told, schemas: JsonSchemas): Operation['requestBody'] {
  if (takes !== undefined)
    return { required: true, content: { [takes]: { schema: body ? schemas.input(body) : BYTES } } }
  if (!body) return undefined
  // None counts as `{}`.
  return { required: !body.safeParse({}).success, content: { [JSON_TYPE]: { schema: schemas.input(body) } } }
}

function responsesOf({ answer, gives, status }: Told, schemas: JsonSchemas): Operation['responses'] {
  const isEmpty = !answer && gives === undefined
  const content: Content = {
    ...(answer && { [JSON_TYPE]: { schema: schemas.output(answer) } }),
    ...(gives !== undefined && { [gives]: { schema: gives === 'text/event-stream' ? { type: 'string' } : BYTES } }),
  }
  const failed = { [JSON_TYPE]: { schema: schemas.output(errorBodySchema) } }
  return {
    [status ?? (isEmpty ? 204 : 200)]: { description: 'OK', ...(!isEmpty && { content }) },
    default: { description: 'It was refused, or failed.', content: failed },
  }
}

/** As OpenAPI writes it: `/api/sessions/{session_id}`. */
export function templateOf(url: string): string {
  return url
    .replaceAll('::', '\0')
    .replaceAll(/:(\w+)(?:\([^)]*\))?/g, '{$1}')
    .replaceAll('*', '{path}')
    .replaceAll('\0', ':')
}

function idOf(method: string, url: string): string {
  const words = templateOf(url)
    .split(/[^a-zA-Z0-9]+/)
    .filter(Boolean)
  return [method.toLowerCase(), ...words.filter((word) => word !== 'api')].join('_')
}

/** What it is about: the first word of its path, `user` and `api` aside; or the server itself. */
function tagOf(url: string): string {
  const [first = ''] = url.split('/').filter((word) => !['', 'api', 'user'].includes(word))
  return OF_SERVER.has(first) ? 'server' : first
}

function byPath(one: ToldRoute, other: ToldRoute): number {
  const [a, b] = [templateOf(one.url), templateOf(other.url)]
  if (a === b) return one.method < other.method ? -1 : 1
  return a < b ? -1 : 1
}
