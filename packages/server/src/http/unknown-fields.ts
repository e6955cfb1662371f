import { z } from 'zod'
import { nearestName } from '../words/nearest-name.ts'

/** A field of a payload that its schema does not know. */
export type UnknownField = {
  /** Where it is, from the top: `askuser_answer`, `edited_argument`. */
  path: readonly string[]
  /** A known field that was probably meant. */
  nearest: string | undefined
  /** What is known there. */
  known: readonly string[]
  /** The payload is ours (`z.strictObject`): what we do not know there is refused. Elsewhere it is ignored. */
  isRefused: boolean
}

/**
 * Every field of a payload that nobody will read, in order, found by going through schema and value together. Objects that
 * are open to any field (`z.record`, `z.looseObject`) have none. As deep as the schema is, whatever the value.
 */
export function* unknownFields(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly string[] = [],
): Generator<UnknownField> {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (typeof value !== 'object' || value === null) return
  if (def.type === 'nullable' || def.type === 'optional' || def.type === 'default')
    yield* unknownFields(def.innerType, value, path)
  else if (def.type === 'pipe') yield* unknownFields(def.in, value, path)
  else if (def.type === 'array' && Array.isArray(value))
    for (const [index, item] of value.entries()) yield* unknownFields(def.element, item, [...path, String(index)])
  else if (def.type === 'record')
    for (const [name, item] of Object.entries(value)) yield* unknownFields(def.valueType, item, [...path, name])
  else if (def.type === 'union') {
    const fitting = def.options.find((option) => z.safeParse(option, value).success)
    if (fitting) yield* unknownFields(fitting, value, path)
  } else if (def.type === 'object' && !Array.isArray(value)) yield* strays(def, value, path)
}

function* strays(
  { shape, catchall }: z.core.$ZodObjectDef,
  value: object,
  path: readonly string[],
): Generator<UnknownField> {
  const isRefused = catchall?._zod.def.type === 'never'
  const isOpen = catchall !== undefined && !isRefused
  const known = Object.keys(shape)
  for (const [name, item] of Object.entries(value)) {
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (schema) yield* unknownFields(schema, item, [...path, name])
    else if (!isOpen) yield { path: [...path, name], nearest: nearestName(name, known), known, isRefused }
  }
}
