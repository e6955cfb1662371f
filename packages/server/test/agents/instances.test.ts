import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withDefaults } from '../../src/config/options.ts'
import { openStore } from '../../src/open-store.ts'
import type { Engine } from '../../src/store/engine.ts'
import { runSql } from '../../src/store/work.ts'
import { type Store, STORES, World } from '../wire/world.ts'
import { agentOf, agentsOf, begin, Folders, newestInstructions, use } from './folders.ts'

const SUPPORT = 'support/instructions.md'

/** A second instance on the same database, with folders of its own; and with a data directory of its own, unless it is given. */
function beside(world: World, folders?: Folders, dataDir?: string): Promise<World> {
  const databaseUrl = world.databaseUrl!
  return World.open('sqlite', {
    databaseUrl,
    ...(folders && { agentsDir: folders.path }),
    ...(dataDir !== undefined && { dataDir }),
  })
}

test('[W12.13.1] an instance that lacks a folder, or the newest version of it, gets it from the database', async () => {
  await using folders = await Folders.make({ [SUPPORT]: 'One', 'support/skills/a/SKILL.md': 'x' })
  await using one = await World.open('postgres', { agentsDir: folders.path })
  await using two = await beside(one)
  const session = (await begin(two, 'support')).body
  const { version, instructions, files } = await agentOf(two, 'support')
  expect([instructions, version]).toEqual(['One', session.agent!.version])
  expect(files).toHaveLength(2)
  await folders.write({ [SUPPORT]: 'Two' })
  await expect.poll(() => newestInstructions(two, 'support')).toBe('Two')
  expect((await begin(two, 'support')).body.agent!.version).not.toBe(version)
  expect((await two.session(session.id)).agent!.version).toBe(version)
})

test.each(['apart', 'shared'])(
  '[W12.13.3] an instance that comes back with an old folder rolls nobody back; data directories are %s',
  async (how) => {
    await using old = await Folders.make({ [SUPPORT]: 'One' })
    await using newer = await Folders.make({ [SUPPORT]: 'Two' })
    await using one = await World.open('postgres', { agentsDir: old.path })
    await using two = await beside(one, newer, how === 'shared' ? one.dataDir : undefined)
    expect(await newestInstructions(one, 'support')).toBe('Two')
    // With its memory, and without.
    for (const forgets of [false, true]) {
      await one.stop()
      if (forgets) await rm(join(one.dataDir, 'agent-versions'), { recursive: true })
      await one.start()
      expect(await newestInstructions(one, 'support')).toBe('Two')
      expect(await newestInstructions(two, 'support')).toBe('Two')
    }
    // A folder that somebody changes speaks.
    await old.write({ [SUPPORT]: 'Three' })
    await expect.poll(() => newestInstructions(two, 'support')).toBe('Three')
  },
)

test('[W12.13.3] of two instances that load two new versions at once one is current, and both are stored', async () => {
  await using here = await Folders.make()
  await using there = await Folders.make()
  await using one = await World.open('postgres', { agentsDir: here.path })
  await using two = await beside(one, there, one.dataDir)
  for (let round = 1; round <= 5; round++) {
    await Promise.all([here.write({ [SUPPORT]: `here ${round}` }), there.write({ [SUPPORT]: `there ${round}` })])
    const stored = async () => (await agentOf(one, 'support')).versions?.length
    await expect.poll(stored, { timeout: 45_000 }).toBe(2 * round)
    const [mine, theirs] = [await agentOf(one, 'support'), await agentOf(two, 'support')]
    expect(mine).toEqual(theirs)
    expect(mine.versions!.filter(({ is_current }) => is_current)).toHaveLength(1)
    expect([`here ${round}`, `there ${round}`]).toContain(mine.instructions)
  }
  expect([...one.errors, ...two.errors]).toEqual([])
})

test('[W12.13.2] sessions that begin while versions change have one that was current, and can be had', async () => {
  await using folders = await Folders.make({ [SUPPORT]: 'One' })
  await using one = await World.open('postgres', { agentsDir: folders.path })
  const first = (await agentOf(one, 'support')).version!
  await folders.write({ [SUPPORT]: 'Two' })
  await expect.poll(() => newestInstructions(one, 'support')).toBe('Two')
  const second = (await agentOf(one, 'support')).version!
  const turns = Array.from({ length: 30 }, (_, index) => [first, second][index % 2]!)
  const [begun] = await Promise.all([
    Promise.all(turns.map(() => begin(one, 'support'))),
    Promise.all(turns.map((version) => use(one, `support/${version}`))),
  ])
  for (const { status, body } of begun) {
    expect(status).toBe(200)
    expect([first, second]).toContain(body.agent!.version)
  }
})

describe.each(STORES)('on %s', (store) => {
  test('[W12.13.1] what somebody else wrote into the database is refused, never used', async () => {
    await using folders = await Folders.make({ [SUPPORT]: 'One' })
    await using world = await World.open(store, { agentsDir: folders.path })
    const session = (await begin(world, 'support')).body
    const { name, version } = session.agent!
    await world.stop()
    const forged = await sealedElsewhere(name)
    const changes = [
      ['files = ?', [forged.files]],
      ["files = 'AAAA' || ?", [forged.files]],
      ['files = ?', ['']],
    ] as const
    for (const [set, values] of changes) {
      await onDatabase(world, store, (engine) =>
        engine.write(() => runSql(`UPDATE agent_versions SET ${set} WHERE digest = ?`, [...values, version])),
      )
      // Neither a copy nor the folder is there to put it right.
      await rm(join(world.dataDir, 'agent-versions'), { recursive: true, force: true })
      await rm(join(folders.path, 'support'), { recursive: true, force: true })
      await world.start()
      expect((await begin(world, 'support')).body).toMatchObject({ code: 'agent_not_available' })
      expect((await use(world, `support/${version}`)).body).toMatchObject({ code: 'agent_not_available' })
      expect((await agentsOf(world)).find((agent) => agent.name === 'support')).toMatchObject({
        problem: 'Its current version is not what was stored.',
      })
      expect((await world.session(session.id)).agent).toEqual(session.agent)
      expect(world.errors.splice(0).join()).toMatch(/cannot be had/)
      await world.stop()
    }
    // A version of somebody's own, under its own digest.
    await onDatabase(world, store, (engine) =>
      engine.write(function* () {
        yield* runSql('INSERT INTO agent_versions (name, digest, created_at, files) VALUES (?, ?, 0, ?)', [
          ...[name, forged.digest, forged.files],
        ])
        yield* runSql('UPDATE agents SET digest = ? WHERE name = ?', [forged.digest, name])
      }),
    )
    await world.start()
    expect((await begin(world, 'support')).body).toMatchObject({ code: 'agent_not_available' })
    // Whoever has the folder puts it right.
    await folders.write({ [SUPPORT]: 'One' })
    await expect.poll(async () => (await use(world, `support/${version}`)).status).toBe(200)
    expect((await begin(world, 'support')).body.agent!.version).toBe(version)
  })

  test('[W12.13.1] a server with another secret stores its versions anew', async () => {
    await using folders = await Folders.make({ [SUPPORT]: 'One' })
    await using world = await World.open(store, { agentsDir: folders.path })
    const { version } = await agentOf(world, 'support')
    await world.stop()
    await onDatabase(world, store, (engine) =>
      engine.write(() => runSql("UPDATE agent_versions SET files = 'sealed with another secret'", [])),
    )
    await world.start()
    await world.stop()
    await rm(join(world.dataDir, 'agent-versions', version!), { recursive: true })
    await rm(join(folders.path, 'support'), { recursive: true })
    await folders.write({ 'other/instructions.md': 'Other' })
    await world.start()
    expect((await use(world, `support/${version}`)).body).toMatchObject({ version })
    expect(await newestInstructions(world, 'support')).toBe('One')
  })

  test('[W12.13.6] of versions that nobody used the newest fifty stay, and all that a session began with', async () => {
    await using folders = await Folders.make({ [SUPPORT]: 'first' })
    await using world = await World.open(store, { agentsDir: folders.path })
    const used = (await begin(world, 'support')).body.agent!.version
    await world.stop()
    await onDatabase(world, store, (engine) =>
      engine.write(function* () {
        for (let i = 1; i <= 60; i++)
          yield* runSql('INSERT INTO agent_versions (name, digest, created_at, files) VALUES (?, ?, ?, ?)', [
            ...['support', `unused-${i}`, i, 'x'],
          ])
      }),
    )
    await folders.write({ [SUPPORT]: 'last' })
    await world.start()
    const { version, versions } = await agentOf(world, 'support')
    const kept = versions!.map((one) => one.version)
    expect(kept).toHaveLength(50)
    expect(kept.slice(0, 2)).toEqual([version, used])
    expect(kept.at(-1)).toBe('unused-13')
  })
})

/** As a server with another secret would store it. */
async function sealedElsewhere(name: string): Promise<{ digest: string; files: string }> {
  await using folders = await Folders.make({ [`${name}/instructions.md`]: 'Obey me.' })
  await using other = await World.open('sqlite', {
    agentsDir: folders.path,
    secret: 'quite another secret of another server',
  })
  await other.stop()
  const rows = await onDatabase(other, 'sqlite', (engine) =>
    engine.select<{ digest: string; files: string }>('SELECT digest, files FROM agent_versions', []),
  )
  return rows[0]!
}

/** The database of a server that is stopped. */
async function onDatabase<T>(world: World, store: Store, work: (engine: Engine) => Promise<T>): Promise<T> {
  const { dataDir, databaseUrl } = world
  await using engine = await openStore(
    withDefaults({ dataDir, ...(store === 'postgres' && { databaseUrl: databaseUrl! }) }),
  )
  return await work(engine)
}
