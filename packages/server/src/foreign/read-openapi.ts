import type { JsonObject, JsonValue } from '../ports.ts'
import { type Credential, credentialOf, HEADER } from './openapi-credentials.ts'
import { described, MAX_DESCRIPTION, schemaOf, withDefinitions } from './openapi-schemas.ts'
import { isObject, listAt, objectAt, textAt } from './openapi-values.ts'

/** The text of an OpenAPI document, JSON or YAML. */
export type OpenApiJob = { text: string }

export type Operation = {
  /** `operationId`, else made of method and path. */
  name: string
  description: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The server's address. */
  base: string
  /** With `{names}` in it. */
  path: string
  parameters: { name: string; in: 'path' | 'query' | 'header' }[]
  /** The argument that becomes the body. */
  body: string | null
  credentials: Credential[]
  /** JSON Schema of the arguments. */
  input: JsonObject
}

/** `problems`: operations that are left out, and why; each begins with its line where there is one. */
export type ReadOpenApi = { operations: Operation[]; problems: string[] }

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
const MAX_OPERATIONS = 64
const MAX_PROBLEMS = 20
const MAX_INPUT_CHARACTERS = 32 * 1024
const BODY = 'body'
/** Ours to say, or the connection's. */
const OWN_HEADERS =
  /^(?:accept|authorization|connection|content-.*|cookie|host|proxy-.*|te|trailer|transfer-encoding|upgrade|user-agent)$/i

/** Runs in a process with limits: a document is somebody else's. Throws a sentence, which begins with a line where there is one. */
export async function readOpenApi({ text }: OpenApiJob): Promise<ReadOpenApi> {
  const { LineCounter, parseDocument, isMap, isScalar } = await import('yaml')
  const lines = new LineCounter()
  // JSON is YAML, whose parser knows where everything stands.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const mistake = document.errors[0]
  if (mistake) throw new Error(`${lines.linePos(mistake.pos[0]).line}: ${mistake.message.split('\n')[0]}`)
  const api = document.toJS({ maxAliasCount: 0 }) as unknown
  if (!isObject(api) || !/^3(?:\.[012]|$)/.test(textAt(api, 'openapi')))
    throw new Error('1: is no OpenAPI document of version 3')
  const lineOf = (...keys: string[]) => {
    let node: unknown = document.contents
    let offset = 0
    for (const key of keys) {
      const pair = isMap(node) ? node.items.find((item) => isScalar(item.key) && item.key.value === key) : undefined
      if (!pair) break
      offset = (pair.key as { range?: [number] }).range?.[0] ?? offset
      node = pair.value
    }
    return lines.linePos(offset).line
  }
  const reader = new Reader(api)
  const read: ReadOpenApi = { operations: [], problems: [] }
  for (const [path, item] of Object.entries(objectAt(api, 'paths')))
    for (const method of METHODS) {
      const operation = isObject(item) ? item[method] : undefined
      if (!isObject(operation)) continue
      try {
        if (read.operations.length >= MAX_OPERATIONS)
          throw new Error(`there are more than ${MAX_OPERATIONS} operations`)
        read.operations.push(reader.operation({ path, method, item: item as JsonObject, operation }))
      } catch (error) {
        if (read.problems.length < MAX_PROBLEMS)
          read.problems.push(
            `${lineOf('paths', path, method)}: ${method.toUpperCase()} ${path}: ${(error as Error).message}`,
          )
      }
    }
  return read
}

type Found = { path: string; method: (typeof METHODS)[number]; item: JsonObject; operation: JsonObject }

class Reader {
  readonly #api: JsonObject
  readonly #names = new Set<string>()

  constructor(api: JsonObject) {
    this.#api = api
  }

  operation({ path, method, item, operation }: Found): Operation {
    if (!path.startsWith('/')) throw new Error('the path must begin with /')
    const name = nameOf(textAt(operation, 'operationId') || `${method}${path}`)
    if (this.#names.has(name)) throw new Error(`there is another operation ${name}`)
    const properties: JsonObject = {}
    const required: string[] = []
    const parameters: Operation['parameters'] = []
    for (const given of [...listAt(item, 'parameters'), ...listAt(operation, 'parameters')]) {
      const parameter = this.#resolved(given)
      const [own, place] = [textAt(parameter, 'name'), parameter['in']]
      if (place === 'cookie') continue
      if (place !== 'path' && place !== 'query' && place !== 'header') throw new Error(`parameter ${own}: in: is wrong`)
      if (place === 'header' && (!HEADER.test(own) || OWN_HEADERS.test(own))) continue
      if (own === '' || own === BODY || own === '__proto__' || own.length > 100)
        throw new Error('a parameter has no name that can be used')
      const before = parameters.findIndex((one) => one.name === own)
      if (before >= 0) parameters.splice(before, 1)
      parameters.push({ name: own, in: place })
      properties[own] = described(schemaOf(parameter['schema']), parameter['description'])
      if ((parameter['required'] === true || place === 'path') && !required.includes(own)) required.push(own)
    }
    for (const [, hole] of path.matchAll(/\{([^}]*)\}/g))
      if (!parameters.some((one) => one.in === 'path' && one.name === hole))
        throw new Error(`{${hole}} is no parameter`)
    const body = this.#body(operation)
    if (body) {
      properties[BODY] = body.schema
      if (body.isRequired) required.push(BODY)
    }
    const input = withDefinitions({ type: 'object', properties, required, additionalProperties: false }, (ref) =>
      this.#at(ref),
    )
    if (JSON.stringify(input).length > MAX_INPUT_CHARACTERS) throw new Error('its arguments are too much to describe')
    this.#names.add(name)
    const said = [operation['summary'], operation['description']].filter((one) => typeof one === 'string').join('\n\n')
    return {
      ...{ name, path, parameters, input, body: body ? BODY : null },
      description: (said || `${method.toUpperCase()} ${path}`).slice(0, MAX_DESCRIPTION),
      method: method.toUpperCase() as Operation['method'],
      base: this.#base(item, operation),
      credentials: this.#credentials(operation),
    }
  }

  #body(operation: JsonObject): { schema: JsonValue; isRequired: boolean } | undefined {
    if (operation['requestBody'] === undefined) return undefined
    const body = this.#resolved(operation['requestBody'])
    const content = Object.entries(objectAt(body, 'content'))
    const json = content.find(([type]) => /^application\/(?:[\w.-]+\+)?json\b/.test(type))
    if (!json) throw new Error('only bodies that are JSON can be sent')
    const schema = isObject(json[1]) ? json[1]['schema'] : undefined
    return { schema: described(schemaOf(schema), body['description']), isRequired: body['required'] === true }
  }

  #base(item: JsonObject, operation: JsonObject): string {
    const [server] =
      [operation, item, this.#api].map((at) => listAt(at, 'servers')).find((list) => list.length > 0) ?? []
    if (!isObject(server)) throw new Error('servers: is missing; it says where the service is')
    const url = textAt(server, 'url').replaceAll(/\{([^}]*)\}/g, (_hole, name: string) => {
      const variable = objectAt(server, 'variables')[name]
      return isObject(variable) ? textAt(variable, 'default') : ''
    })
    const parsed = URL.parse(url)
    if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.search || parsed.hash)
      throw new Error('servers: needs a whole http or https address')
    return parsed.href.replace(/\/+$/, '')
  }

  /** The first way that can be gone; none: the operation is open to everybody. */
  #credentials(operation: JsonObject): Credential[] {
    const wanted = operation['security'] ?? this.#api['security']
    const ways = Array.isArray(wanted) ? wanted.filter(isObject) : []
    if (ways.length === 0 || ways.some((way) => Object.keys(way).length === 0)) return []
    const schemes = objectAt(objectAt(this.#api, 'components'), 'securitySchemes')
    for (const way of ways) {
      const found = Object.keys(way).map((name) => credentialOf(name, schemes[name]))
      if (found.every((one) => one !== undefined)) return found
    }
    throw new Error('security: bearer, basic and apiKey in a header or the query are what can be sent')
  }

  #resolved(given: JsonValue | undefined): JsonObject {
    let at = given
    for (let steps = 0; isObject(at) && typeof at['$ref'] === 'string'; steps++) {
      if (steps > 10) throw new Error(`${at['$ref']}: leads nowhere`)
      at = this.#at(at['$ref'])
    }
    if (!isObject(at)) throw new Error('something that should be an object is none')
    return at
  }

  #at(ref: string): JsonValue {
    if (!ref.startsWith('#/')) throw new Error(`${ref.slice(0, 200)}: only references inside the document are followed`)
    let at: JsonValue | undefined = this.#api
    for (const key of ref.slice(2).split('/')) {
      const name = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')
      at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined
    }
    if (at === undefined) throw new Error(`${ref.slice(0, 200)}: is not there`)
    return at
  }
}

function nameOf(said: string): string {
  const name = said
    .replaceAll(/[^a-zA-Z0-9_-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 64)
  if (name === '') throw new Error('operationId: is no name for a tool')
  return name
}
