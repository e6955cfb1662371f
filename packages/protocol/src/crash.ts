import { z } from 'zod'
import { openObject } from './open-schema.ts'

/** Whether the server may be crashed for show, just now. */
export const crashPossibilitySchema = openObject({
  is_possible: z.boolean(),
  /** What stands against it; `null` when nothing does. */
  code: z.string().nullable(),
  reason: z.string().nullable(),
  /** The process that would be killed. */
  pid: z.int(),
  /** How long its answers rest, once it is dead, before another server carries them on; 0 where there is no other (SQLite). */
  lease_ms: z.int(),
  /** What it is working on. */
  runs: z.array(openObject({ session_id: z.string(), run_id: z.string() })),
})
export type CrashPossibility = z.infer<typeof crashPossibilitySchema>

/** A process that is no more by the time this is read. */
export const crashSchema = openObject({ pid: z.int(), killed_at: z.string() })
export type Crash = z.infer<typeof crashSchema>
