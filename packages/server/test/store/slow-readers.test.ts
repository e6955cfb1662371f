import { startNode } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { places } from './place.ts'

type Memory = { rss: number; heap: number; external: number }
type Report = { events: number; read: number; shown: number; before: Memory; after: Memory }
const LIMIT_MB = 60

describe.each(places)('200 readers that never read, on %s', (name, makePlace) => {
  test.each([
    ['while 10 MB are appended', 'live', 500],
    ['when they come late to 10 MB of large events', 'late', 20_000],
  ])(
    '[D2.7] cost next to nothing %s, and one that reads gets everything',
    { timeout: 240_000 },
    async (_when, start, eventBytes) => {
      await using place = await makePlace()
      await using server = startNode(`${import.meta.dirname}/workers/slow-readers.ts`, [
        place.at,
        start,
        String(eventBytes),
      ])
      const [, report] = await server.line(/^memory (.*)/)
      const { events, read, shown, before, after } = JSON.parse(report!) as Report
      const growth = after.heap + after.external - before.heap - before.external
      console.log(
        `${name}, ${start}, ${events} events of ${eventBytes} bytes, ${shown} shown to each: ` +
          `heap + external grew by ${growth} MB, RSS ${before.rss} → ${after.rss} MB`,
      )
      expect(read).toBe(events)
      expect(shown).toBeLessThan(events) // else nobody was slow
      expect(growth).toBeLessThan(LIMIT_MB)
      expect(await server.exited).toBe(0)
    },
  )
})
