import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { type NodeProcess, startNode } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { places } from '../store/place.ts'
import { Site } from './site.ts'

const FILES = 400
const contents = (text: string) =>
  Object.fromEntries(Array.from({ length: FILES }, (_, at) => [`d${at % 7}/f${at}`, `${text} ${at}`]))
const asSeen = (text: string) =>
  Object.fromEntries(Object.entries(contents(text)).map(([path, content]) => [path, `644 ${content}`]))

describe.each(places)('a kill -9 on %s', (_name, makePlace) => {
  test(
    '[W12.1] in the middle of going back: half of it is done, and the next try does the rest',
    { timeout: 120_000 },
    async () => {
      await using place = await makePlace()
      let site: Site
      {
        await using engine = await place.open()
        site = await Site.open(engine)
        await site.put(contents('one'))
        await site.say(1)
        await site.change()
        await site.put({ ...contents('two'), 'new/file': 'two', 'd0/more': 'two' })
        await site.say(2)
      }
      const { dataDir, session_id } = site
      const args = [place.at, dataDir, session_id, '1']
      await using _files = site
      const isHalf = async () => {
        const seen = Object.values(await site.look())
        return seen.some((text) => text.startsWith('644 one')) && seen.some((text) => text.startsWith('644 two'))
      }
      {
        await using restorer = startNode(`${import.meta.dirname}/workers/restorer.ts`, args)
        await restorer.line(/^begun/)
        // The first of seven directories; each file is there at once, so what a look meets is one or the other.
        while ((await readFile(site.at('d0/f0'), 'utf8')) !== 'one 0') await delay(1)
        restorer.signal('SIGKILL')
        await restorer.exited
        expect(restorer.lines.filter((line) => line.startsWith('done'))).toEqual([])
      }
      expect(await isHalf()).toBe(true)
      await using restorer = startNode(`${import.meta.dirname}/workers/restorer.ts`, args)
      expect((await restorer.line(/^done (.*)/))[1]).toBe('{"restored":true}')
      await restorer.exited
      const files = Object.entries(await site.look()).filter(([path]) => !path.endsWith('/') && !path.endsWith('.tmp'))
      expect(files).toHaveLength(FILES)
      for (const [, text] of files) expect(text).toMatch(/^644 one \d+$/)
      await using engine = await place.open()
      const again = new Site(engine, { dataDir, session_id })
      expect(await again.restore(2), 'the state of before the first try was not taken again in the middle').toEqual({
        restored: true,
      })
      expect(await site.look()).toMatchObject(asSeen('two'))
    },
  )

  test(
    '[W12.1] while a state is taken: there is none, and the next one to change something takes it',
    { timeout: 120_000 },
    async () => {
      await using place = await makePlace()
      let site: Site
      {
        await using engine = await place.open()
        site = await Site.open(engine)
        await site.put({ ...contents('one'), 'large.bin': Buffer.alloc(32 * 1024 ** 2, 7) })
        await site.say(1)
      }
      const { dataDir, session_id } = site
      await using _files = site
      {
        await using taker = startNode(`${import.meta.dirname}/workers/taker.ts`, [place.at, dataDir, session_id])
        await taker.line(/^begun/)
        while ((await site.kept()).length === 0) await Promise.race([delay(1), failed(taker)])
        taker.signal('SIGKILL')
        await taker.exited
      }
      await using engine = await place.open()
      const next = new Site(engine, { dataDir, session_id })
      expect(await next.states()).toEqual([])
      await next.change()
      await next.put(contents('two'))
      expect(await next.restore(1)).toEqual({ restored: true })
      expect(await site.look()).toMatchObject(asSeen('one'))
    },
  )
})

async function failed(process: NodeProcess): Promise<void> {
  await process.exited
  throw new Error(process.lines.join('\n'))
}
