import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from '@parley/protocol'
import type { FakeChoice, FakeRequest, NodeProcess } from '@parley/testkit'
import { expect, test } from 'vitest'
import { Folders } from '../agents/folders.ts'
import { type Arena, freePort, KEY, openArena, watch } from './arena.ts'

/** What its model was given last: who it is, and what its tool said. */
type Heard = { system: string; results: readonly string[] }

/** An agent whose one tool notes that it began, and answers as soon as the file `go` is there. */
const agent = (version: string, place: string) => ({
  'support/instructions.md': `Be ${version}.`,
  'support/tools/wait.ts': `import { appendFileSync, existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { defineTool } from '@parley/tools'
export default defineTool({
  name: 'wait',
  description: 'Waits.',
  input: { type: 'object' },
  replay: 'safe',
  async run(_input, { session_id, signal }) {
    appendFileSync('${place}/begun', \`${version} \${session_id}\\n\`)
    while (!existsSync('${place}/go')) await delay(20, undefined, { signal })
    return '${version}'
  },
})
`,
})

test(
  '[W12.13.7] two versions under way on two instances: the one that lacks the new version carries its run on, under that version',
  { timeout: 180_000 },
  async () => {
    const heard = new Map<string, Heard>()
    await using arena = await openArena('postgres', waiting(heard))
    await using old = await Folders.make(agent('one', arena.directory))
    await using fresh = await Folders.make(agent('two', arena.directory))
    const survivor = await start(arena, old)
    await expect.poll(() => currentVersion(survivor.url)).toBeTruthy()
    const first = await begin(survivor.url)
    const third = await begin(survivor.url)
    const victim = await start(arena, fresh)
    await expect.poll(() => currentVersion(victim.url)).not.toBe(first.version)
    const second = await begin(victim.url)
    expect(first.version).toBe(third.version)
    expect(second.version).not.toBe(first.version)

    using here = watch(() => survivor.url, first.id)
    await here.send({ message: first.id, client_message_id: 'm' })
    using atVictim = watch(() => victim.url, second.id)
    await atVictim.send({ message: second.id, client_message_id: 'm' })
    using alsoThere = watch(() => victim.url, third.id)
    await alsoThere.send({ message: third.id, client_message_id: 'm' })
    const begun = async () =>
      (await readFile(join(arena.directory, 'begun'), 'utf8').catch(() => '')).split('\n').sort()
    await expect.poll(begun).toEqual(['', `one ${first.id}`, `one ${third.id}`, `two ${second.id}`].sort())

    victim.server.signal('SIGKILL')
    const copy = join(arena.directory, 'agent-versions', second.version)
    expect(existsSync(copy)).toBe(true)
    await rm(copy, { recursive: true })
    using carriedOn = watch(() => survivor.url, second.id)
    using alsoCarriedOn = watch(() => survivor.url, third.id)
    // Begun once more, by the survivor: with the tool of the version that it had never seen.
    await expect.poll(async () => (await begun()).filter((line) => line === `two ${second.id}`)).toHaveLength(2)
    await expect.poll(async () => (await begun()).filter((line) => line === `one ${third.id}`)).toHaveLength(2)
    await writeFile(join(arena.directory, 'go'), '')
    for (const witness of [here, carriedOn, alsoCarriedOn]) await witness.until(({ status }) => status === 'completed')
    const one = { system: 'Be one.', results: ['one'] }
    expect([heard.get(first.id), heard.get(second.id), heard.get(third.id)]).toEqual([
      one,
      { system: 'Be two.', results: ['two'] },
      one,
    ])
    expect(existsSync(copy)).toBe(true)
  },
)

test(
  '[W12.13.7] a run that a restart carries on keeps its version, whatever the folder says by then',
  { timeout: 180_000 },
  async () => {
    const heard = new Map<string, Heard>()
    await using arena = await openArena('sqlite', waiting(heard))
    await using folders = await Folders.make(agent('one', arena.directory))
    const victim = await start(arena, folders)
    await expect.poll(() => currentVersion(victim.url)).toBeTruthy()
    const session = await begin(victim.url)
    using sender = watch(() => victim.url, session.id)
    await sender.send({ message: session.id, client_message_id: 'm' })
    await expect.poll(() => existsSync(join(arena.directory, 'begun'))).toBe(true)
    victim.server.signal('SIGKILL')
    await victim.server.exited
    await folders.write(agent('two', arena.directory))
    await rm(join(arena.directory, 'agent-versions', session.version), { recursive: true })
    await writeFile(join(arena.directory, 'go'), '')

    const survivor = await start(arena, folders)
    using witness = watch(() => survivor.url, session.id)
    await witness.until(({ status }) => status === 'completed')
    expect(heard.get(session.id)).toEqual({ system: 'Be one.', results: ['one'] })
    await expect.poll(() => currentVersion(survivor.url)).not.toBe(session.version)
  },
)

/** By the message, which is the session's id. */
function waiting(heard: Map<string, Heard>): FakeChoice {
  return ({ question, system, results }: FakeRequest) => {
    heard.set(question, { system, results })
    return results.length === 0 ? { calls: [{ name: 'wait', arguments: {} }] } : { text: 'Done.' }
  }
}

async function start(arena: Arena, folders: Folders): Promise<{ server: NodeProcess; url: string }> {
  const port = await freePort()
  const options = { agentsDir: folders.path, suggestions: false }
  return { server: await arena.start({ port, options }), url: `http://127.0.0.1:${port}` }
}

async function begin(url: string): Promise<{ id: string; version: string }> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const reply = await fetch(`${url}/api/sessions`, { method: 'POST', headers, body: '{"agent":"support"}' })
  const { id, agent: begun, ...rest } = (await reply.json()) as Session
  expect(reply.status, JSON.stringify(rest)).toBe(200)
  return { id, version: begun!.version }
}

/** That new sessions get; a folder becomes one once its tools were looked at. */
async function currentVersion(url: string): Promise<string | null | undefined> {
  const reply = await fetch(`${url}/api/agents`, { headers: { authorization: `Bearer ${KEY}` } })
  const { items } = (await reply.json()) as { items: { name: string; version: string | null }[] }
  return items.find(({ name }) => name === 'support')?.version
}
