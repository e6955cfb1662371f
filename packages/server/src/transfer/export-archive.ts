import type { ZipText } from '../workspace/zip-directory.ts'
import { maskValue } from '../secrets/session-masks.ts'
import { FORMAT, FORMAT_VERSION, HISTORY, MANIFEST, SESSION, TURNS } from './archive-format.ts'
import { type Exporting, exportedTurns } from './exported-turns.ts'

/** [W12.6] The files of an archive beside those of the workspace. No value of the environment, no key, no link is among them. */
export function archiveTexts(exporting: Exporting, exported_at: string): ZipText[] {
  const manifest = { format: FORMAT, version: FORMAT_VERSION, exported_at }
  return [
    { name: MANIFEST, chunks: [pretty(manifest)] },
    { name: SESSION, chunks: sessionText(exporting) },
    { name: TURNS, chunks: lines(exportedTurns(exporting)) },
    { name: HISTORY, chunks: lines(historyNodes(exporting)) },
  ]
}

/** Whose it is, what waits in it and who else may see it are not part of what it is. */
async function* sessionText({ sessions, principal, session_id, mask }: Exporting): AsyncGenerator<string> {
  const detail = await sessions.detail(principal, session_id)
  const { user_id: _user, pending_question: _question, viewer_role: _role, shared: _shared, ...session } = detail
  yield pretty(maskValue(session, mask))
}

async function* historyNodes({ sessions, principal, session_id, mask }: Exporting): AsyncGenerator {
  const { nodes } = await sessions.history(principal, session_id)
  for (const node of nodes) yield maskValue(node, mask)
}

async function* lines(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
