import type { ToolCallEntry } from '@parley/protocol/rest'
import type { Engine } from '../store/engine.ts'
import { runSql, type Work } from '../store/work.ts'

/** Of a person's calls, at most this many are looked at, the newest first: on a busy day a count ends here. */
const LOOKED_AT = 10_000
const CALLS_SHOWN = 20
const DAY_MS = 24 * 60 * 60 * 1000

type RunRow = { at: number; subject: string; detail: string | null }

/** How often a person's sessions have called each tool since midnight, UTC. */
export async function usedToday(engine: Engine, user_id: string, now: number): Promise<Map<string, number>> {
  const rows = await engine.read(() => callsSince(user_id, now - (now % DAY_MS)))
  const counts = new Map<string, number>()
  for (const { detail } of rows) {
    const { name } = placeOf(detail)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

/** A person's last calls of a tool, in sessions that are still there. */
export async function lastCalls(engine: Engine, user_id: string, name: string): Promise<ToolCallEntry[]> {
  return engine.read(function* () {
    const rows = (yield* callsSince(user_id, 0)).filter(({ detail }) => placeOf(detail).name === name)
    const calls: ToolCallEntry[] = []
    for (const { at, subject: tool_call_id, detail } of rows) {
      const [session] = yield* runSql<{ id: string; intent: string | null }>(
        'SELECT id, intent FROM sessions WHERE id = ? AND user_id = ?',
        [placeOf(detail).session_id, user_id],
      )
      if (session) calls.push({ tool_call_id, at: isoTime(at), session_id: session.id, session_title: session.intent })
      if (calls.length === CALLS_SHOWN) break
    }
    return calls
  })
}

function callsSince(user_id: string, from: number): Work<RunRow[]> {
  return runSql<RunRow>(
    `SELECT at, subject, detail FROM audit WHERE action = 'tool.run' AND actor = ? AND at >= ?
      ORDER BY at DESC LIMIT ${LOOKED_AT}`,
    [user_id, from],
  )
}

/** As `auditRun` writes it. */
function placeOf(detail: string | null): { name: string; session_id: string } {
  const at = detail?.lastIndexOf(' in ') ?? -1
  return at < 0 ? { name: '', session_id: '' } : { name: detail!.slice(0, at), session_id: detail!.slice(at + 4) }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
