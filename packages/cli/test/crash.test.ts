import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDemo } from '../../server/test/start/demo.ts'
import { newHome } from '../../server/test/start/home.ts'
import { postgresPlace } from '../../server/test/store/place.ts'
import { openTerminal } from '../../../test/walk/terminal.ts'
import { emptyFolder } from './command-line.ts'

const isPossible = spawnSync('script', ['--version']).status === 0
const MAIN = join(import.meta.dirname, '../src/main.ts')

test('[W12.14] crash kills the server in the middle of an answer and shows the answer to its end', async () => {
  await using home = await newHome()
  await using demo = await startDemo(home.path)
  await using folder = await emptyFolder({ PARLEY_DATA_DIR: join(home.path, 'data') })
  const { pid } = await demo.possibility()
  const { code, output, errors } = await folder.parley(['crash', '--yes'])
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
  expect(output).toMatch(/Step 1 of 5[\s\S]*Server killed at \d\d:\d\d:\d\d[\s\S]*Back after \d+\.\d s/)
  expect(output).toMatch(/All five steps are done[\s\S]*Nothing was lost: all \d+ characters/)
  expect((await demo.possibility()).pid).not.toBe(pid)
  // What is counted is what was seen of the answer, and neither the question nor marks that nobody sees.
  const [before] = output.split('✕ Server killed')
  const seen = before!.replaceAll(/^[●✓].*\n/gm, '').replaceAll(/[*`#\n]/g, '')
  const counted = Number(/all (\d+) characters/.exec(output)![1])
  expect(counted).toBeLessThanOrEqual(seen.length)
  expect(counted).toBeGreaterThan(seen.length - 60)
})

test('[W12.14] on PostgreSQL crash says what the answer waits for, and shows it to its end', async () => {
  await using place = await postgresPlace()
  await using home = await newHome()
  await using demo = await startDemo(home.path, { env: { PARLEY_DATABASE_URL: place.at, PARLEY_LEASE_MS: '3000' } })
  await using folder = await emptyFolder({ PARLEY_DATA_DIR: join(home.path, 'data') })
  expect(await demo.possibility()).toMatchObject({ lease_ms: 3_000 })
  const { code, output, errors } = await folder.parley(['crash', '--yes'])
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
  expect(output).toMatch(/Back after \d+\.\d s, as process \d+\. On PostgreSQL [^]* has stood still for 3 s\./)
  expect(output).toMatch(/All five steps are done[\s\S]*Nothing was lost: all \d+ characters/)
})

test('[W12.14] crash joins the answer that is under way, in the language it is asked in', async () => {
  await using home = await newHome()
  await using demo = await startDemo(home.path)
  await using folder = await emptyFolder({ PARLEY_DATA_DIR: join(home.path, 'data') })
  using session = await demo.client.sessions.create()
  await session.ready()
  await session.send('Write a long answer with headings, a table and code')
  const { code, output } = await folder.parley(['crash', '-y', '--language', 'zh'])
  expect(code).toBe(0)
  expect(output).toMatch(/It ends here[\s\S]*回答已完成。没有丢失任何内容/)
  const { total } = await demo.client.sessions.listSessionsPaginated()
  expect(total).toBe(1)
})

test('[W12.14] without a terminal crash needs --yes, and kills nothing before', async () => {
  await using home = await newHome()
  await using demo = await startDemo(home.path)
  await using folder = await emptyFolder({ PARLEY_DATA_DIR: join(home.path, 'data') })
  const { pid } = await demo.possibility()
  expect(await folder.parley(['crash'])).toEqual({
    code: 2,
    output: '',
    errors: `This kills the server (process ${pid}) with SIGKILL. Without a terminal it needs --yes.\n`,
  })
  expect((await demo.possibility()).pid).toBe(pid)
})

test('[W12.14] crash says what stands against it', async () => {
  await using folder = await emptyFolder()
  expect(await folder.parley(['crash', '--yes'])).toMatchObject({ code: 3 })
  // As a program of its own: nobody would start it again.
  const serve = folder.start(['serve', '--port', '0'])
  await serve.shown('sign-in link')
  const refused = await folder.parley(['crash', '--yes'])
  serve.interrupt()
  await serve.ended
  expect(refused).toMatchObject({ code: 1, errors: expect.stringMatching(/^Nothing would start this server again/) })
})

test.skipIf(!isPossible)('[W12.14] in a terminal crash asks first, and takes no for an answer', async () => {
  await using home = await newHome()
  await using demo = await startDemo(home.path)
  const { pid } = await demo.possibility()
  const env = { ...process.env, PARLEY_DATA_DIR: join(home.path, 'data'), LANG: 'en_US.UTF-8', LC_ALL: '' }
  const command = `'${process.execPath}' --conditions=parley-source '${MAIN}' crash`
  {
    await using terminal = openTerminal(command, { directory: home.path, env })
    await terminal.shows(new RegExp(`process ${pid}.*Go on\\? \\[y/N\\]`, 's'))
    terminal.type('n\r')
    expect(await terminal.ends()).toBe(0)
    expect((await demo.possibility()).pid).toBe(pid)
  }
  // As it is installed: what is bundled warns of more than the sources do.
  const installed = `'${process.execPath}' '${join(import.meta.dirname, '../bin/parley.mjs')}' crash`
  await using terminal = openTerminal(installed, { directory: home.path, env })
  await terminal.shows(/Go on\?/)
  terminal.type('y\r')
  await terminal.shows(/Server killed at/)
  expect(await terminal.ends(), terminal.screen()).toBe(0)
  expect(terminal.screen()).toMatch(/Nothing was lost/)
  expect(terminal.screen()).not.toMatch(/Warning/)
})
