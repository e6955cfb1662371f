import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startTcpProxy } from '@parley/testkit'
import { expect, test } from 'vitest'
import { ParleyClient } from '../../client/src/index.ts'
import { freePort, KEY, openArena } from '../../server/test/crash/arena.ts'
import { emptyFolder } from './command-line.ts'

const FILES = 40

test(
  '[S15.5] an import on PostgreSQL goes on with another instance when the one that it began with is killed',
  { timeout: 120_000 },
  async () => {
    await using arena = await openArena('postgres')
    const [first, second] = [await freePort(), await freePort()]
    const victim = await arena.start({ port: first })
    await arena.start({ port: second })
    // As a load balancer does it: whoever comes is sent to an instance that is there.
    const target = { host: '127.0.0.1', port: first }
    await using balancer = await startTcpProxy(target)
    const PARLEY_URL = `http://127.0.0.1:${balancer.port}`
    await using folder = await emptyFolder({ PARLEY_URL, PARLEY_KEY: KEY })
    const docs = join(folder.path, 'docs')
    await mkdir(docs)
    for (let number = 0; number < FILES; number += 1)
      await writeFile(join(docs, `note-${number}.md`), `# Note ${number}\n\nThis is note number ${number} of many.\n`)
    const { knowledge } = new ParleyClient({ baseUrl: `http://127.0.0.1:${second}`, token: KEY })
    const kept = async () => (await knowledge.list({ collection: 'default', limit: 200 })).items.length

    const adding = folder.parley(['knowledge', 'add', docs])
    await expect.poll(kept, { timeout: 30_000, interval: 20 }).toBeGreaterThan(2)
    expect(await kept(), 'killed in the middle').toBeLessThan(FILES)
    victim.signal('SIGKILL')
    await victim.exited
    target.port = second
    const { code, output } = await adding
    expect([code, output.match(/^added /gm)!.length > 2]).toEqual([0, true])
    expect(await kept()).toBe(FILES)
    const again = await folder.parley(['knowledge', 'add', docs])
    expect(again.output).toBe(`0 added, 0 changed, ${FILES} unchanged.\n`)
    const [found] = await knowledge.search({ query: 'note number 17 of many' })
    expect(found!.document.source).toBe('note-17.md')
  },
)
