import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { withDefaults } from '../../src/config/options.ts'
import { openStore } from '../../src/open-store.ts'
import { runSql } from '../../src/store/work.ts'
import { mint } from '../auth/visitors.ts'
import { OWNER_KEY, type Store, STORES, World } from '../wire/world.ts'
import { agentOf, agentsOf, begin, Folders, newestInstructions, use } from './folders.ts'

const SUPPORT = 'support/instructions.md'

describe.each(STORES)('on %s', (store) => {
  test('[W12.13] a session keeps the version it began with, and a new one gets the newest', async () => {
    await using folders = await Folders.make({ [SUPPORT]: 'Be kind.', 'support/agent.yaml': 'display_name: Support' })
    await using world = await World.open(store, { agentsDir: folders.path })
    const first = (await begin(world, 'support')).body
    expect(first.agent).toEqual({ name: 'support', version: expect.stringMatching(/^[0-9a-f]{64}$/) })
    await folders.write({ [SUPPORT]: 'Be kinder.' })
    await expect.poll(() => newestInstructions(world, 'support')).toBe('Be kinder.')
    const second = (await begin(world, 'support')).body
    expect(second.agent!.version).not.toBe(first.agent!.version)
    expect((await world.session(first.id)).agent).toEqual(first.agent)
    expect(await agentsOf(world)).toEqual([
      expect.objectContaining({ name: 'default', version: null }),
      {
        ...{ name: 'support', display_name: 'Support', description: null },
        version: second.agent!.version,
        loaded_at: expect.stringMatching(/^\d{4}-.*Z$/),
        versions: [
          { version: second.agent!.version, created_at: expect.any(String), sessions: 1, is_current: true },
          { version: first.agent!.version, created_at: expect.any(String), sessions: 1, is_current: false },
        ],
      },
    ])
  })

  test('[W12.13] roll back is one call, and a restart with the unchanged folder keeps it', async () => {
    await using folders = await Folders.make({ [SUPPORT]: 'One' })
    await using world = await World.open(store, { agentsDir: folders.path })
    const one = (await begin(world, 'support')).body.agent!.version
    await folders.write({ [SUPPORT]: 'Two' })
    await expect.poll(() => newestInstructions(world, 'support')).toBe('Two')
    expect((await use(world, `support/${one}`)).body).toMatchObject({ name: 'support', version: one })
    expect((await begin(world, 'support')).body.agent!.version).toBe(one)
    await world.stop()
    await world.start()
    expect((await begin(world, 'support')).body.agent!.version).toBe(one)
    await folders.write({ [SUPPORT]: 'Three' })
    await expect.poll(() => newestInstructions(world, 'support')).toBe('Three')
  })

  test('[W12.13] a folder that was put back to what it was is a change like any other', async () => {
    await using folders = await Folders.make({ [SUPPORT]: 'One' })
    await using world = await World.open(store, { agentsDir: folders.path })
    const one = (await agentOf(world, 'support')).version
    await folders.write({ [SUPPORT]: 'Two' })
    await expect.poll(() => newestInstructions(world, 'support')).toBe('Two')
    await folders.write({ [SUPPORT]: 'One' })
    await expect.poll(() => newestInstructions(world, 'support')).toBe('One')
    const { version, versions } = await agentOf(world, 'support')
    expect([version, versions!.length]).toEqual([one, 2])
  })

  test('[W12.13] an unknown agent is refused, as an unknown model is', async () => {
    await using world = await World.open(store)
    for (const name of ['nobody', '../etc', '', 'x'.repeat(200)])
      expect(await begin(world, name)).toMatchObject({ status: 422, body: { code: 'agent_not_available' } })
    expect(await begin(world, 'x'.repeat(201))).toMatchObject({ status: 422, body: { code: 'invalid_payload' } })
    expect((await world.rest('GET', '/api/agents/nobody')).status).toBe(404)
    expect((await use(world, `nobody/${'a'.repeat(64)}`)).body).toMatchObject({ code: 'not_found' })
    expect((await begin(world, 'default')).body.agent).toBeNull()
    expect((await begin(world)).body.agent).toBeNull()
  })

  test('[W12.13.2] a folder called default that cannot be loaded does not open the configuration to everybody', async () => {
    await using folders = await Folders.make({ 'default/agent.yaml': 'tolls: []' })
    await using world = await World.open(store, { agentsDir: folders.path })
    expect(await begin(world)).toMatchObject({ status: 422, body: { code: 'agent_not_available' } })
    await folders.write({ 'default/agent.yaml': 'tools: []' })
    await vi.waitUntil(async () => (await begin(world)).status === 200, { timeout: 30_000 })
    expect((await begin(world)).body.agent).toMatchObject({ name: 'default' })
  })

  test('[W12.13] a folder called default is the agent of sessions that name none', async () => {
    await using folders = await Folders.make({ 'default/instructions.md': 'Be brief.' })
    await using world = await World.open(store, { agentsDir: folders.path })
    expect((await begin(world)).body.agent).toMatchObject({ name: 'default' })
    const names = (await agentsOf(world)).map(({ name }) => name)
    expect(names).toEqual(['default'])
  })

  test('[W12.13] an agent whose folder is gone takes no new sessions, and its old ones keep their version', async () => {
    await using folders = await Folders.make({ [SUPPORT]: 'One', 'other/instructions.md': 'Other' })
    await using world = await World.open(store, { agentsDir: folders.path })
    const session = (await begin(world, 'support')).body
    await folders.remove('support')
    await expect.poll(async () => (await begin(world, 'support')).status).toBe(422)
    expect((await world.session(session.id)).agent).toEqual(session.agent)
    await folders.write({ [SUPPORT]: 'One' })
    await expect.poll(async () => (await begin(world, 'support')).body.agent).toEqual(session.agent)
  })

  test('[W12.13] visitors choose among the agents that are for them, and see their names alone', async () => {
    const yaml = (name: string) => `display_name: ${name}\ndescription: for staff\nvisitors: ${name === 'Shop'}`
    await using folders = await Folders.make({
      'shop/agent.yaml': yaml('Shop'),
      'ops/agent.yaml': yaml('Operations'),
    })
    await using world = await World.open(store, { agentsDir: folders.path })
    const { token } = await mint(world, 'anna')
    expect(await agentsOf(world, token)).toEqual([
      { name: 'default', display_name: 'default' },
      { name: 'shop', display_name: 'Shop' },
    ])
    expect((await begin(world, 'shop', token)).body.agent).toMatchObject({ name: 'shop' })
    expect((await begin(world, 'ops', token)).body).toMatchObject({ code: 'agent_not_available' })
    expect((await world.rest('GET', '/api/agents/shop', { token })).status).toBe(403)
    expect((await use(world, `shop/${'a'.repeat(64)}`, token)).status).toBe(403)
    expect((await use(world, `shop/${(await agentOf(world, 'shop')).version}`, world.strangersKey)).status).toBe(403)
  })

  test('[W12.13.2] what a visitor may not have looks like what does not exist, also when it cannot be had', async () => {
    await using folders = await Folders.make({ 'ops/agent.yaml': 'display_name: Operations' })
    await using world = await World.open(store, { agentsDir: folders.path })
    const { version } = await agentOf(world, 'ops')
    const { token } = await mint(world, 'anna')
    const refusal = async (name: string) => {
      const { status, body } = await begin(world, name, token)
      return JSON.stringify({ status, body }).replaceAll(name, 'NAME')
    }
    const nobody = await refusal('nobody')
    expect(await refusal('ops')).toBe(nobody)
    await world.stop()
    await damage(world, store)
    await rm(join(world.dataDir, 'agent-versions', version!), { recursive: true })
    await folders.write({ 'ops/agent.yaml': 'no_such_field: 1' })
    await world.start()
    expect(await refusal('ops')).toBe(nobody)
    expect(nobody).not.toContain(version!.slice(0, 12))
  })

  test('[W12.13] to use a version that does not exist, or is none, is 404 with its name', async () => {
    await using folders = await Folders.make({ [SUPPORT]: 'One' })
    await using world = await World.open(store, { agentsDir: folders.path })
    const { version } = await agentOf(world, 'support')
    for (const wrong of [
      'AB',
      'a'.repeat(64),
      version!.toUpperCase(),
      version!.slice(0, 12),
      'x y',
      '%2e%2e',
      'a:b',
      'é',
    ]) {
      const { status, body } = await use(world, `support/${encodeURIComponent(wrong)}`)
      expect([wrong, status, body]).toEqual([wrong, 404, expect.objectContaining({ code: 'not_found' })])
      expect(body).toMatchObject({ detail: expect.stringContaining(`no version ${wrong} of the agent support`) })
    }
    expect((await use(world, `nobody/${version}`)).body).toMatchObject({ code: 'not_found' })
    expect((await use(world, `support/${version}`)).status).toBe(200)
    expect(world.errors).toEqual([])
  })

  test('[W12.13] a version is shown with its files, and its copy belongs to this user alone', async () => {
    await using folders = await Folders.make({
      [SUPPORT]: 'One',
      'support/skills/a/SKILL.md': 'text',
      'support/.env': 'SECRET',
    })
    await using world = await World.open(store, { agentsDir: folders.path })
    const { version, files } = await agentOf(world, 'support')
    expect(files).toEqual([
      { path: 'instructions.md', bytes: 3 },
      { path: 'skills/a/SKILL.md', bytes: 4 },
    ])
    const copy = join(world.dataDir, 'agent-versions', version!)
    expect(await readdir(copy)).toEqual(['instructions.md', 'skills'])
    expect((await stat(copy)).mode & 0o777).toBe(0o700)
    expect((await stat(join(copy, 'instructions.md'))).mode & 0o777).toBe(0o400)
    // One that is lost or damaged is made again.
    await world.stop()
    await rm(join(copy, 'skills'), { recursive: true })
    await world.start()
    expect((await agentOf(world, 'support')).files).toEqual(files)
    expect(world.errors).toEqual([])
  })
})

test('[W12.13] choosing a version is written down, with who did it', async () => {
  await using folders = await Folders.make({ [SUPPORT]: 'One' })
  await using world = await World.open('sqlite', { agentsDir: folders.path })
  const { version } = await agentOf(world, 'support')
  expect((await use(world, `support/${version}`, OWNER_KEY)).status).toBe(200)
  await world.stop()
  const { DatabaseSync } = await import('node:sqlite')
  using database = new DatabaseSync(join(world.dataDir, 'parley.sqlite'))
  const rows = database.prepare("SELECT actor, action, detail FROM audit WHERE action LIKE 'agent.%' ORDER BY id").all()
  expect(rows).toEqual([
    { actor: 'system', action: 'agent.load', detail: version },
    { actor: expect.stringMatching(/^user_/), action: 'agent.use', detail: version },
  ])
})

/** What is stored of versions, of a server that is stopped. */
async function damage(world: World, store: Store): Promise<void> {
  const { dataDir, databaseUrl } = world
  const config = withDefaults({ dataDir, ...(store === 'postgres' && { databaseUrl: databaseUrl! }) })
  await using engine = await openStore(config)
  await engine.write(() => runSql("UPDATE agent_versions SET files = 'damaged'", []))
}
