/** Whether the server may be crashed for show, just now. */
export type CrashPossibility = {
  is_possible: boolean
  /** What stands against it; `null` when nothing does. */
  code: string | null
  reason: string | null
  /** The process that would be killed. */
  pid: number
  /** How long its answers rest, once it is dead, before another server carries them on; 0 where there is no other (SQLite). */
  lease_ms: number
  /** What it is working on. */
  runs: { session_id: string; run_id: string }[]
}

/** A process that is no more by the time this is read. */
export type Crash = { pid: number; killed_at: string }
