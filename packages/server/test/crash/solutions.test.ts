import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from '@parley/protocol'
import { expect, test } from 'vitest'
import { Folders } from '../agents/folders.ts'
import { type Arena, freePort, KEY, openArena, watch } from './arena.ts'

const wait = (place: string) => `import { appendFileSync, existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { defineTool } from '@parley/tools'
export default defineTool({
  name: 'wait',
  description: 'Waits.',
  input: { type: 'object' },
  replay: 'safe',
  async run(_input, { signal }) {
    appendFileSync('${place}/begun', 'x')
    while (!existsSync('${place}/go')) await delay(20, undefined, { signal })
    return 'waited'
  },
})
`

test(
  '[W12.7.1] [D3] a run of a solution whose instance is killed goes on in its role on one that never saw the folder',
  { timeout: 180_000 },
  async () => {
    const systems = new Set<string>()
    await using arena = await openArena('postgres', ({ system, results }) => {
      systems.add(system)
      return results.length === 0 ? { calls: [{ name: 'wait', arguments: {} }] } : { text: 'Done.' }
    })
    await using folders = await Folders.make({
      'shop/solution.yaml': 'name: Shop\nroles: [seller, buyer]',
      'shop/instructions.md': 'This is the shop.',
      'shop/roles/seller/role.yaml': 'name: Seller',
      'shop/roles/buyer/role.yaml': 'name: Buyer',
      'shop/roles/buyer/instructions.md': 'You buy.',
      'shop/tools/wait.ts': wait(arena.directory),
    })
    const victim = await start(arena, { solutionsDir: folders.path })
    const survivor = await start(arena, {})
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ solution_id: 'shop', biz_role_id: 'buyer' })
    const begin = async () => fetch(`${victim.url}/api/sessions`, { method: 'POST', headers, body })
    await expect.poll(async () => (await begin()).status).toBe(200)
    const { id } = (await (await begin()).json()) as Session
    using sender = watch(() => victim.url, id)
    await sender.send({ message: 'buy', client_message_id: 'm' })
    await expect.poll(() => existsSync(join(arena.directory, 'begun'))).toBe(true)
    victim.server.signal('SIGKILL')
    await expect.poll(async () => (await readFile(join(arena.directory, 'begun'), 'utf8')).length).toBe(2)
    await writeFile(join(arena.directory, 'go'), '')
    using witness = watch(() => survivor.url, id)
    await witness.until(({ status }) => status === 'completed')
    expect([...systems]).toEqual(['This is the shop.\n\nYou buy.'])
  },
)

async function start(arena: Arena, options: { solutionsDir?: string }) {
  const port = await freePort()
  const server = await arena.start({ port, options: { ...options, suggestions: false } })
  return { server, url: `http://127.0.0.1:${port}` }
}
