import type { Operation } from './describe-api.ts'
import type { JsonSchema } from './json-schema.ts'
import { fieldsOf } from './schema-html.ts'

type Route = { path: string; method: string; operation: Operation }

/** A line for a shell that asks this route, with what it cannot do without. */
export function curlLine({ path, method, operation }: Route): string {
  const query = operation.parameters.filter((one) => one.in === 'query' && one.required).map(({ name }) => `${name}=…`)
  const address = `"$PARLEY_URL${path}${query.length > 0 ? `?${query.join('&')}` : ''}"`
  const verb = method === 'get' ? [] : [`-X ${method.toUpperCase()}`]
  const key = operation['x-needs'] ? [`-H "Authorization: Bearer $PARLEY_KEY"`] : []
  return ['curl', ...verb, ...key, ...bodyIn(operation), address].join(' ')
}

function bodyIn({ requestBody }: Operation): string[] {
  const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(requestBody?.content ?? {})
  const needed = fieldsOf(schema).filter(({ isRequired }) => isRequired)
  if (type === 'multipart/form-data') return needed.map(({ name }) => `-F ${name}=@FILE`)
  if (type === 'application/octet-stream') return ['--data-binary @FILE']
  if (type === '') return []
  const body = Object.fromEntries(needed.map(({ name, schema: field }) => [name, exampleOf(field)]))
  return [`--json '${JSON.stringify(body)}'`]
}

function exampleOf({ type, enum: values, anyOf }: JsonSchema): unknown {
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0] as JsonSchema)
  if (type === 'array') return []
  if (type === 'object') return {}
  if (type === 'boolean') return true
  return type === 'integer' || type === 'number' ? 1 : '…'
}
