import type { ImportedSession } from '@parley/protocol/rest'
import { rawZip } from './raw-zip.ts'
import { OWNER_KEY, type World } from './world.ts'

/** Questions and answers by turns, brought in as an archive. */
export async function importLong(world: World, count: number, words = 'said'): Promise<string> {
  const turns = Array.from({ length: count }, (_, sequence) => ({
    ...{ id: `entry_${sequence}`, sequence, turn_id: `turn_${sequence}`, loop_id: 'root', kind: 'message' },
    ...{ role: sequence % 2 === 0 ? 'user' : 'assistant', status: 'completed', tool_calls: [] },
    ...{ blocks: [{ type: 'text', content: `${words} ${sequence}` }], duration_ms: 0, context_window: 0 },
  }))
  const manifest = { format: 'parley-session', version: 1, exported_at: '2026-01-01T00:00:00.000Z' }
  const file = rawZip([
    { name: 'manifest.json', content: JSON.stringify(manifest) },
    { name: 'session.json', content: JSON.stringify({ intent: 'long' }) },
    { name: 'turns.jsonl', content: turns.map((one) => JSON.stringify(one)).join('\n') },
  ])
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(file)]), 'session.zip')
  const headers = { authorization: `Bearer ${OWNER_KEY}` }
  const answer = await fetch(`${world.url}/api/sessions/import`, { method: 'POST', body: form, headers })
  return ((await answer.json()) as ImportedSession).session_id
}
