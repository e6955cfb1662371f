import { startNode } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { newSession, oneTo, stored, textOf } from './fixtures.ts'
import { places } from './place.ts'

const ROUNDS = 10
const ACKNOWLEDGED = /^acknowledged (?<session>\S+) (?<number>\d+) (?<text>.*);$/

describe.each(places)('a kill -9 on %s', (_name, makePlace) => {
  test('[D3] loses no acknowledged event, ten times in a row', { timeout: 300_000 }, async () => {
    await using place = await makePlace()
    const sessions = oneTo(3).map((n) => `sess_${n}`)
    {
      await using engine = await place.open()
      for (const session of sessions) await newSession(engine, session)
    }
    const promised = new Map<string, string>()
    for (const round of oneTo(ROUNDS)) {
      await using writer = startNode(`${import.meta.dirname}/workers/writer.ts`, [
        place.at,
        `round ${round}`,
        'Infinity',
        ...sessions,
      ])
      await writer.line(new RegExp(`^acknowledged ${sessions[round % 3]} \\d+ round ${round} ${5 + round};`))
      writer.signal('SIGKILL')
      await writer.exited
      for (const line of writer.lines) {
        const { session, number, text } = ACKNOWLEDGED.exec(line)?.groups ?? {}
        if (session) promised.set(`${session} ${number}`, text!)
      }

      await using engine = await place.open()
      const kept = new Map<string, string>()
      for (const session of sessions)
        for (const event of await stored(engine, session)) kept.set(`${session} ${event.event_seq}`, textOf(event))
      for (const [where, text] of promised) expect(kept.get(where), `${where} after round ${round}`).toBe(text)
    }
    expect(promised.size).toBeGreaterThan(ROUNDS * 5)
  })
})
