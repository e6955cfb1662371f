import type { JsonObject, JsonValue } from '@parley/server/in-process'
import type { ToolParameter } from './tool.ts'

/** Parameters as models are told of them. */
export function schemaOf(parameters: readonly ToolParameter[]): JsonObject {
  const properties = parameters.map(({ name, type, description, enum: options, default: fallback }) => [
    name,
    { type, description, ...(options && { enum: [...options] }), ...(fallback !== undefined && { default: fallback }) },
  ])
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name)
  return { type: 'object', properties: Object.fromEntries(properties) as JsonObject, required }
}

/** Arguments with their defaults filled in, or what is wrong with them. */
export function checkArguments(
  tool: { name: string; parameters: readonly ToolParameter[] },
  given: JsonValue,
): { ok: true; value: JsonObject } | { ok: false; message: string } {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return refused(tool, ['arguments: an object'])
  const value = { ...given }
  const problems = tool.parameters.flatMap((parameter) => {
    const { name, required, default: fallback } = parameter
    if (value[name] === undefined && fallback !== undefined) value[name] = fallback as JsonValue
    if (value[name] === undefined) return required ? [`${name}: is required`] : []
    return problemsOf(parameter, value[name])
  })
  return problems.length > 0 ? refused(tool, problems) : { ok: true, value }
}

function problemsOf({ name, type, enum: options }: ToolParameter, value: JsonValue): string[] {
  if (!IS[type](value)) return [`${name}: must be of type ${type}`]
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (options && !options.includes(text)) return [`${name}: must be one of ${options.join(', ')}`]
  return []
}

const IS: Record<ToolParameter['type'], (value: JsonValue) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
}

function refused({ name }: { name: string }, problems: readonly string[]): { ok: false; message: string } {
  return { ok: false, message: `${name} was called with arguments that do not fit. ${problems.join('; ')}` }
}

/** As people are shown them. */
export function masked(parameters: readonly ToolParameter[], args: Record<string, unknown>): Record<string, unknown> {
  const secret = parameters.filter(({ sensitive, name }) => sensitive && name in args)
  return secret.length === 0 ? args : { ...args, ...Object.fromEntries(secret.map(({ name }) => [name, '***'])) }
}
