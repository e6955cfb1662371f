import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { json, listening, newHome, refused, start } from './home.ts'

test('answers health and version, prints where to sign in, and stops in good order on SIGTERM', async () => {
  await using home = await newHome()
  await using server = start(home.path)
  const url = await listening(server)
  for (const path of ['/api/health', '/api/health/', '/healthz'])
    expect(await json(url + path)).toEqual({ status: 'ok' })
  expect(await json(`${url}/api/version`)).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    min_sdk: expect.any(String),
    protocol: '1.0',
  })
  const [, link] = await server.line(/(http\S+code=[^"\s]+)/)
  const signedIn = await fetch(link!, { redirect: 'manual' })
  expect(signedIn.headers.get('set-cookie')).toMatch(/HttpOnly/)
  const page = await fetch(new URL(signedIn.headers.get('location')!, url))
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="console">')])
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
})

test('offers the embed script to every page, and says when it has not changed', async () => {
  await using home = await newHome()
  await using server = start(home.path)
  const url = `${await listening(server)}/embed.js`
  const first = await fetch(url)
  expect([first.status, first.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
  expect(await first.text()).toContain('parley-chat')
  const again = await fetch(url, { headers: { 'if-none-match': first.headers.get('etag')! } })
  expect(again.status).toBe(304)
})

test('takes options from parley.config.ts, and the environment wins', async () => {
  await using home = await newHome()
  await writeFile(
    join(home.path, 'parley.config.ts'),
    `export default { port: 1, logLevel: 'info' as const, language: 'en' }`,
  )
  await using server = start(home.path)
  expect(new URL(await listening(server)).port).not.toBe('1')
})

test.each<[string, { files?: Record<string, string>; env?: Record<string, string> }, RegExp[]]>([
  ['an unknown option', { files: { 'parley.config.json': '{ "prot": 8020 }' } }, [/prot/, /no such option/, /port/]],
  ['a wrong value in the file', { files: { 'parley.config.json': '{ "port": "many" }' } }, [/port \(PARLEY_PORT\)/]],
  ['a wrong value in the environment', { env: { PARLEY_LEASE_MS: 'soon' } }, [/leaseMs \(PARLEY_LEASE_MS\)/]],
  [
    'a file that is no JSON',
    { files: { 'parley.config.json': '{' } },
    [/The configuration is wrong:\n {2}.*parley\.config\.json:1:2: /],
  ],
  [
    'a fallback model that there is not',
    { files: { 'parley.config.json': '{ "fallbackModel": "nobody" }' } },
    [/models cannot be set up/, /nobody/],
  ],
  [
    'a database URL of another kind',
    { env: { PARLEY_DATABASE_URL: 'mysql://x' } },
    [/PARLEY_DATABASE_URL/, /postgres:\/\//],
  ],
])(
  '%s ends the start with exit code 2 and a message that names it',
  async (_what, { files = {}, env = {} }, messages) => {
    await using home = await newHome(files)
    await refused(home.path, { env, code: 2 }, messages)
  },
)

test('a taken port ends the start with exit code 4 and says so', async () => {
  await using home = await newHome()
  const blocker = createServer().listen(0, '127.0.0.1')
  await once(blocker, 'listening')
  const { port } = blocker.address() as { port: number }
  await refused(home.path, { env: { PARLEY_PORT: String(port) }, code: 4 }, [
    new RegExp(`Port ${port} is taken`),
    /PARLEY_PORT/,
  ])
  blocker.close()
})

test('a data directory that is a file ends the start with exit code 3', async () => {
  await using home = await newHome({ data: 'I am a file' })
  await refused(home.path, { code: 3 }, [/data directory/, /PARLEY_DATA_DIR/])
  expect(await readFile(join(home.path, 'data'), 'utf8')).toBe('I am a file')
})

test('a damaged database ends the start with exit code 3 and is left as it is', async () => {
  await using home = await newHome()
  await mkdir(join(home.path, 'data'))
  const garbage = 'this is no database '.repeat(500)
  await writeFile(join(home.path, 'data/parley.sqlite'), garbage)
  await refused(home.path, { code: 3 }, [/damaged or not a database/, /left untouched/])
  expect(await readFile(join(home.path, 'data/parley.sqlite'), 'utf8')).toBe(garbage)
})

test('a second server on a data directory ends with exit code 3 and names the first', async () => {
  await using home = await newHome()
  await using first = start(home.path)
  await listening(first)
  await refused(home.path, { code: 3 }, [/in use by another Parley server/, new RegExp(`process ${first.pid}`)])
})

test('a database out of reach ends the start with exit code 3 and never shows the password', async () => {
  await using home = await newHome()
  const server = await refused(
    home.path,
    { env: { PARLEY_DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/parley' }, code: 3 },
    [/Cannot reach PostgreSQL at 127\.0\.0\.1:1/],
  )
  expect(server.lines.join('\n')).not.toContain('hunter2')
})
