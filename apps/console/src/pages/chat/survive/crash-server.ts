import { type Session, textOf, type TurnProjection } from '@parley/protocol'
import type { Crash, CrashPossibility } from '@parley/protocol/rest'

/** Whether the server may be crashed now. `undefined`: nobody answers. */
export async function crashPossibility(): Promise<CrashPossibility | 'signed out' | 'not for you' | undefined> {
  const answer = await fetch('/api/demo/crash').catch(() => undefined)
  if (!answer) return undefined
  if (answer.ok) return (await answer.json()) as CrashPossibility
  return answer.status === 401 ? 'signed out' : 'not for you'
}

/** Rejects with the server's sentence when it refuses. That the line is cut before the answer came is a crash, too. */
export async function crash(): Promise<Crash | undefined> {
  const answer = await fetch('/api/demo/crash', { method: 'POST' }).catch(() => undefined)
  if (!answer) return undefined
  const body = (await answer.json().catch(() => undefined)) as (Crash & { detail?: string }) | undefined
  if (!answer.ok) throw new Error(body?.detail)
  return body
}

export async function isUp(): Promise<boolean> {
  const answer = await fetch('/api/health', { cache: 'no-store' }).catch(() => undefined)
  return answer?.ok ?? false
}

/** Whether an answer is under way there, whoever works on it; also while nobody can be asked. */
export async function isRunning(session_id: string): Promise<boolean> {
  const answer = await fetch(`/api/sessions/${encodeURIComponent(session_id)}`).catch(() => undefined)
  return !answer?.ok || ((await answer.json()) as Session).status === 'running'
}

/** What is stored of the answers in a session: the text of each turn, by its id. */
export async function storedTexts(session_id: string): Promise<Map<string, string>> {
  const answer = await fetch(`/api/sessions/${encodeURIComponent(session_id)}/messages`)
  const turns = (await answer.json()) as TurnProjection[]
  return new Map(turns.filter(({ role }) => role !== 'user').map((turn) => [turn.turn_id, textOf(turn)]))
}
