import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Engine } from '../../src/store/engine.ts'
import { runSql } from '../../src/store/work.ts'
import { workspaceMarker } from '../../src/workspace/marker.ts'
import { places } from '../store/place.ts'
import { workspaceWith } from '../tools/file-ops/use.ts'

const FILE = '.parley-deployment'

/** A database in which no deployment has started yet. */
async function fresh(engine: Engine): Promise<Engine> {
  await engine.write(() => runSql(`DELETE FROM meta WHERE key = 'deployment_id'`, []))
  return engine
}

describe.each(places)('on %s', (kind, makePlace) => {
  test('[D6] the first start makes the id and the marker, and later ones find both', async () => {
    await using place = await makePlace()
    await using engine = await fresh(await place.open())
    await using volume = await workspaceWith()
    const directory = join(volume.path, 'workspaces')
    const first = await workspaceMarker({ engine, directory, randomUUID })
    expect(await first.check()).toEqual({ isShared: true })
    expect(await readFile(join(directory, FILE), 'utf8')).toBe(`${first.deployment_id}\n`)
    const second = await workspaceMarker({ engine, directory, randomUUID })
    expect(second.deployment_id).toBe(first.deployment_id)
    expect(await second.check()).toEqual({ isShared: true })
  })

  test('[D6] a directory with another deployment’s marker is not shared, and stays as it is', async () => {
    await using place = await makePlace()
    await using engine = await fresh(await place.open())
    await using volume = await workspaceWith({ [FILE]: 'somebody else\n' })
    const marker = await workspaceMarker({ engine, directory: volume.path, randomUUID })
    const again = await workspaceMarker({ engine, directory: volume.path, randomUUID })
    for (const { check } of [marker, again])
      expect(await check()).toEqual({ isShared: false, message: expect.stringContaining('names another deployment') })
    expect(await readFile(join(volume.path, FILE), 'utf8')).toBe('somebody else\n')
  })

  test.runIf(kind === 'postgres')(
    '[D6] an instance without the volume is not shared until the volume is there, and puts no marker of its own',
    async () => {
      await using place = await makePlace()
      await using engine = await fresh(await place.open())
      await using volume = await workspaceWith()
      const { deployment_id } = await workspaceMarker({ engine, directory: volume.path, randomUUID })
      await using elsewhere = await workspaceWith()
      const other = await workspaceMarker({ engine, directory: elsewhere.path, randomUUID })
      const state = await other.check()
      expect(state).toEqual({ isShared: false, message: expect.stringContaining('is missing') })
      expect(state).toEqual({ isShared: false, message: expect.stringContaining(deployment_id) })
      await expect(readFile(join(elsewhere.path, FILE))).rejects.toThrow('ENOENT')
      await writeFile(join(elsewhere.path, FILE), deployment_id)
      expect(await other.check()).toEqual({ isShared: true })
      await rm(elsewhere.path, { recursive: true })
      expect(await other.check()).toMatchObject({ isShared: false })
      await mkdir(elsewhere.path)
    },
  )

  test.runIf(kind === 'postgres')('[D6] of many first starts at once, all agree on one deployment', async () => {
    await using place = await makePlace()
    await using engine = await fresh(await place.open())
    await using volume = await workspaceWith()
    const starts = await Promise.all(
      Array.from({ length: 8 }, () => workspaceMarker({ engine, directory: volume.path, randomUUID })),
    )
    expect(new Set(starts.map(({ deployment_id }) => deployment_id)).size).toBe(1)
    for (const { check } of starts) expect(await check()).toEqual({ isShared: true })
  })

  test.runIf(kind === 'sqlite')('[D6] beside SQLite a directory that was removed by hand is marked anew', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    await using volume = await workspaceWith()
    const directory = join(volume.path, 'workspaces')
    const { deployment_id } = await workspaceMarker({ engine, directory, randomUUID })
    await rm(directory, { recursive: true })
    const marker = await workspaceMarker({ engine, directory, randomUUID })
    expect(marker.deployment_id).toBe(deployment_id)
    expect(await marker.check()).toEqual({ isShared: true })
  })
})
