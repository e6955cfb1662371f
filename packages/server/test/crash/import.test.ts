import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session, TurnProjection } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { rawZip } from '../wire/raw-zip.ts'
import { type Arena, freePort, KEY, openArena } from './arena.ts'

const FILES = 300
const TURNS = 2_000

const turn = {
  ...{ id: 'entry_x', sequence: 0, turn_id: 'turn_x', loop_id: 'root', kind: 'message', role: 'user' },
  ...{ status: 'completed', blocks: [{ type: 'text', content: 'hi' }], tool_calls: [] },
  ...{ duration_ms: 0, context_window: 0 },
}

const ARCHIVE = rawZip([
  { name: 'manifest.json', content: '{"format":"parley-session","version":1,"exported_at":"now"}' },
  { name: 'session.json', content: '{"intent":"Half or whole"}' },
  { name: 'turns.jsonl', content: `${JSON.stringify(turn)}\n`.repeat(TURNS) },
  ...Array.from({ length: FILES }, (_, index) => ({ name: `workspace/file-${index}`, content: `file ${index}` })),
])

describe.each(['sqlite', 'postgres'] as const)('on %s', (kind) => {
  test(
    '[W12.6] killed at any moment of an import, there is a whole session or none',
    { timeout: 300_000 },
    async () => {
      await using arena = await openArena(kind, () => ({ text: 'ok' }))
      const port = await freePort()
      const url = `http://127.0.0.1:${port}`
      const seen = new Set<string>()
      for (const files of [FILES / 2, FILES]) {
        const before = await unpacked(arena)
        const server = await arena.start({ port })
        const sent = send(url).catch(() => undefined)
        // Waits for the files, then kills while the rows are written, or just before.
        await expect
          .poll(async () => (await unpacked(arena)) - before, { timeout: 60_000, interval: 1 })
          .toBeGreaterThanOrEqual(files)
        server.signal('SIGKILL')
        await server.exited
        await sent
        const again = await arena.start({ port })
        const sessions = (await ask<{ items: Session[] }>(`${url}/api/sessions`)).items
        for (const { id } of sessions) {
          seen.add(id)
          expect(await ask<TurnProjection[]>(`${url}/api/sessions/${id}/messages`)).toHaveLength(TURNS)
          expect(await ask<object[]>(`${url}/api/sessions/${id}/ls`)).toHaveLength(FILES)
        }
        again.signal('SIGKILL')
        await again.exited
      }
      const server = await arena.start({ port })
      const made = (await (await send(url)).json()) as Session
      expect((await ask<{ items: Session[] }>(`${url}/api/sessions`)).items.map(({ id }) => id).sort()).toEqual(
        [...seen, made.id].sort(),
      )
      expect(await ask<object[]>(`${url}/api/sessions/${made.id}/ls`)).toHaveLength(FILES)
      server.signal('SIGKILL')
      await server.exited
    },
  )
})

const headers = { authorization: `Bearer ${KEY}` }

function send(url: string): Promise<Response> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(ARCHIVE)]), 'session.zip')
  return fetch(`${url}/api/sessions/import`, { method: 'POST', body: form, headers })
}

async function ask<T>(url: string): Promise<T> {
  return (await (await fetch(url, { headers })).json()) as T
}

/** Files in all workspaces, but for the archives themselves. */
async function unpacked(arena: Arena): Promise<number> {
  const root = join(arena.directory, 'workspaces')
  const names = await readdir(root).catch(() => [])
  const lists = await Promise.all(names.map((name) => readdir(join(root, name)).catch(() => [])))
  return lists.flat().filter((name) => name.startsWith('file-')).length
}
