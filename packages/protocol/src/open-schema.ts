/**
 * Schemas for what a newer peer may send: unknown keys are kept, unknown kinds let through, absent values become null.
 * What a server is asked is read more strictly, and the schema tells whose payload it is: in a `z.object` of the specifications or
 * the origin unknown fields are ignored, and named in the answer; in a `z.strictObject` of our own they are refused.
 */
import { z } from 'zod'

/**
 * An object that keeps unknown keys when it is read. The inferred type lists the known keys only, so that a misspelt
 * field does not compile.
 */
export function openObject<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape> {
  return z.looseObject(shape)
}

/** `T?` of the specification: null or absent on the wire, always null once read. */
export function orNull<Schema extends z.ZodType>(schema: Schema): z.ZodDefault<z.ZodNullable<Schema>> {
  return schema.nullable().default(null as never)
}

/** Text that a database keeps in a column of its own, or that a program gets: neither PostgreSQL nor a process takes a NUL there. */
export const columnText = z.string().refine((text) => !text.includes('\0'), 'must not contain a NUL character')

/**
 * Lets objects with an unknown tag through unchanged; one with a known tag must still fit. The inferred type lists the
 * known kinds only, so a `switch` over it needs a `default` that ignores the rest.
 */
export function openUnion<Union extends z.ZodDiscriminatedUnion>(known: Union): Union {
  const key = known.def.discriminator
  const tags = known._zod.propValues[key] ?? new Set()
  const unknownKind = z.looseObject({ [key]: z.string().refine((tag) => !tags.has(tag), 'does not fit its kind') })
  return z.union([known, unknownKind]) as unknown as Union
}
