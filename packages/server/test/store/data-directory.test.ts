import { startNode } from '@parley/testkit'
import { expect, test } from 'vitest'
import { newSession } from './fixtures.ts'
import { type Place, sqlitePlace } from './place.ts'

test('[D2] a second server on the same data directory refuses to start and says which process holds it', async () => {
  await using place = await sqlitePlace()
  await using holder = startNode(`${import.meta.dirname}/workers/writer.ts`, [
    place.at,
    'holder',
    'Infinity',
    await sessionIn(place),
  ])
  await holder.line(/^acknowledged/)
  const refused = await place.open().catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'locked' })
  expect((refused as Error).message).toContain(`process ${holder.pid}`)
  expect((refused as Error).message).toContain(place.at)
  // The one that holds it never noticed.
  const seen = holder.lines.length
  await holder.line(new RegExp(`^acknowledged \\S+ ${seen + 20} `))
})

test('[D2] the data directory is free again the moment its server is gone, also after kill -9', async () => {
  await using place = await sqlitePlace()
  await using holder = startNode(`${import.meta.dirname}/workers/writer.ts`, [
    place.at,
    'holder',
    'Infinity',
    await sessionIn(place),
  ])
  await holder.line(/^acknowledged/)
  holder.signal('SIGKILL')
  await holder.exited
  await using engine = await place.open()
  await newSession(engine)
})

test('[D2] a server that closed its data directory, or failed to open it, holds it no more', async () => {
  await using place = await sqlitePlace()
  await expect(place.open({ maxPages: 1 })).rejects.toMatchObject({ code: 'full' })
  const first = await place.open()
  await expect(place.open()).rejects.toMatchObject({ code: 'locked' })
  await first[Symbol.asyncDispose]()
  await using second = await place.open()
  await newSession(second)
})

async function sessionIn(place: Place): Promise<string> {
  await using engine = await place.open()
  return newSession(engine)
}
