import { crash, crashPossibility, isRunning, isUp, storedTexts } from './crash-server.ts'

export type CrashStep =
  | { step: 'killed'; at: Date; pid: number }
  /** `leaseSeconds`: how long the answer rests before anybody carries it on. */
  | { step: 'back'; seconds: number; pid: number; leaseSeconds: number }
  | { step: 'on'; seconds: number }
  | { step: 'done'; characters: number; lost: number }

const LOOK_MS = 50

/** Kills the server that works on this session, and tells what becomes of the answer, step by step. */
export async function* watchCrash(session_id: string, pid: number): AsyncGenerator<CrashStep> {
  const before = await storedTexts(session_id)
  const killed = await crash()
  const started = performance.now()
  const seconds = () => (performance.now() - started) / 1_000
  yield { step: 'killed', at: killed ? new Date(killed.killed_at) : new Date(), pid: killed?.pid ?? pid }

  // The dead one may still seem to be there for a moment: what counts is that another process answers.
  let now = await crashPossibility()
  while (typeof now !== 'object' || now.pid === pid) {
    await pause(LOOK_MS)
    if (await isUp()) now = await crashPossibility()
  }
  yield { step: 'back', seconds: seconds(), pid: now.pid, leaseSeconds: now.lease_ms / 1_000 }

  let texts = await storedTexts(session_id)
  while (!goesOn(before, texts) && (await isRunning(session_id))) {
    await pause(LOOK_MS)
    texts = await storedTexts(session_id)
  }
  yield { step: 'on', seconds: seconds() }

  while (await isRunning(session_id)) await pause(LOOK_MS * 10)
  yield { step: 'done', ...compare(before, await storedTexts(session_id)) }
}

/** There is a turn with text that was not there before. */
function goesOn(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): boolean {
  return [...now].some(([turn_id, text]) => !before.has(turn_id) && text !== '')
}

/** What was stored before, and how much of it is not there any more. */
function compare(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>) {
  const texts = [...before]
  const lost = texts.filter(([turn_id, text]) => !now.get(turn_id)?.startsWith(text))
  const length = (some: typeof texts) => some.reduce((sum, [, text]) => sum + asSeen(text).length, 0)
  return { characters: length(texts), lost: length(lost) }
}

/** Without the marks of Markdown, which nobody sees. */
function asSeen(text: string): string {
  return text.replaceAll(/[*`#]/g, '')
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
