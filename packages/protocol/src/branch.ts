import { z } from 'zod'
import { openObject, orNull } from './open-schema.ts'

/** Turns from one `sequence` to another, both included; `to` is null where the branch still grows. */
export const spanSchema = openObject({ from: z.int(), to: orNull(z.int()) })
export type Span = z.infer<typeof spanSchema>

/**
 * The course that a conversation takes: which turns of the session are part of it. A session that was never rewound has
 * one, `main`, of all its turns. Numbers are never used twice, so the turns of other branches lie between the spans.
 */
export const branchSchema = openObject({ branch_id: z.string(), path: z.array(spanSchema) })
export type Branch = z.infer<typeof branchSchema>
