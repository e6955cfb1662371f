import { truncate } from 'node:fs/promises'
import { startNode } from '@parley/testkit'
import { expect, test } from 'vitest'
import type { Lease } from '../../src/store/gate.ts'
import { firstPage, increment, journalOf, numberOf, oneTo, seize, stored, textOf } from './fixtures.ts'
import { sqlitePlace } from './place.ts'

test('[D2.4] text that was shown and then lost in a power cut leads its reader to resync, never to a wrong prefix', async () => {
  await using place = await sqlitePlace()
  const { lease, promised, shown, walBytes } = await showTextAndDie(place.at)
  await truncate(`${place.at}/parley.sqlite-wal`, walBytes) // what the disk never got

  await using engine = await place.open()
  const journal = journalOf(engine)
  expect((await stored(engine, lease.session_id)).map(textOf)).toEqual(['question'])
  await expect(firstPage(journal, lease.session_id, shown)).rejects.toMatchObject({ code: 'resync' })

  // Whoever writes first, a notice or the run carried on, must not reuse the numbers.
  const others = oneTo(2 * shown).map((n) => increment(`other text ${n}`))
  const [notice, ...text] = others
  await journal.append(lease.session_id, null, [notice!])
  const taken = (await seize(engine, { ...lease, epoch: lease.epoch + 1 }, 'me'))!
  for (const event of text) await journal.append(lease.session_id, taken.epoch, [event])
  // Every number that was shown before the cut, and a reader that has the promised event only.
  for (let since = promised + 1; since <= shown; since++)
    await expect(firstPage(journal, lease.session_id, since)).rejects.toMatchObject({ code: 'resync' })
  const resumed = await firstPage(journal, lease.session_id, promised)
  expect(resumed.map(textOf)).toEqual(others.map(textOf))
  expect(resumed.map(numberOf)).toEqual(oneTo(2 * shown).map((n) => promised + (n === 1 ? 10_000 : 20_000) + n))
})

test('[D3] a kill -9 without a power cut loses no text that was shown', async () => {
  await using place = await sqlitePlace()
  const { lease, shown } = await showTextAndDie(place.at)
  await using engine = await place.open()
  const events = await stored(engine, lease.session_id)
  expect(events.map(numberOf)).toEqual(oneTo(shown))
  expect(textOf(events.at(-1)!)).toBe('shown last')
})

type Shown = { lease: Lease; promised: number; shown: number; walBytes: number }

async function showTextAndDie(directory: string): Promise<Shown> {
  await using writer = startNode(`${import.meta.dirname}/workers/shown-text.ts`, [directory])
  const [, shown] = await writer.line(/^shown (.*)/)
  writer.signal('SIGKILL')
  await writer.exited
  return JSON.parse(shown!) as Shown
}
