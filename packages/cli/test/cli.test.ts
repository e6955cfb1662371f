import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KEY } from '../../client/test/scripted-server.ts'
import { emptyFolder, withServer } from './command-line.ts'

test.each([
  {
    ...{ command: 'chat', language: 'en' },
    has: /^Usage\n {2}parley chat .*\n\nchat\n.*arrow keys[^]*--url URL[^]*Exit codes/,
    lacks: /parley keys|--schema|crash/,
  },
  {
    ...{ command: 'sessions', language: 'en' },
    has: /^Usage\n {2}parley sessions .*\n\nsessions list\n[^]*sessions delete\n/,
    lacks: /parley chat|back or forward/,
  },
  {
    ...{ command: 'agents', language: 'zh' },
    has: /^用法\n {2}parley agents .*\n\nagents\n[^]*选项[^]*退出码/,
    lacks: /parley chat|--limit/,
  },
  {
    ...{ command: 'serve', language: 'en' },
    has: /^Usage\n {2}parley serve .*\n\nserve\n {2}--host[^]*--data-dir[^]*4 address\n$/,
    lacks: /--url|124/,
  },
])('parley $command --help is about that command ($language)', async ({ command, language, has, lacks }) => {
  await using folder = await emptyFolder()
  const { code, output } = await folder.parley([command, '--help', '--language', language])
  expect(code).toBe(0)
  expect(output).toMatch(has)
  expect(output).not.toMatch(lacks)
})

test('--help names every command, option and exit code, in the language of the locale', async () => {
  await using folder = await emptyFolder()
  const english = await folder.parley(['--help'])
  const chinese = await folder.parley(['help'], { env: { LC_ALL: 'zh_CN.UTF-8' } })
  expect([english.code, chinese.code]).toEqual([0, 0])
  for (const word of [
    'serve',
    'chat',
    'run',
    'keys',
    'sessions',
    'crash',
    '--schema',
    '--json',
    '--key',
    '124',
    '130',
  ]) {
    expect(english.output).toContain(word)
    expect(chinese.output).toContain(word)
  }
  expect(chinese.output).toContain('退出码')
})

test.each([
  ['no command', [], { code: 2, errors: '' }],
  ['an unknown command', ['fly'], { code: 2, errors: 'Unknown command "fly". See `parley --help`.\n' }],
  ['an unknown option', ['keys', 'list', '--fast'], { code: 2 }],
  ['an unknown action', ['keys', 'sell'], { code: 2, errors: 'Unknown command "keys sell". See `parley --help`.\n' }],
  ['a missing name', ['keys', 'create'], { code: 2, errors: 'NAME is missing.\n' }],
  ['a missing prompt', ['run'], { code: 2 }],
  ['a schema that is none', ['run', 'x', '--schema', 'nowhere.json'], { code: 2 }],
  [
    'a time that is none',
    ['run', 'x', '--timeout', 'abc'],
    { code: 2, errors: '--timeout takes a number from 0.001 to 1800, not "abc".\n' },
  ],
  [
    'no time at all',
    ['run', 'x', '--timeout', '0'],
    { code: 2, errors: '--timeout takes a number from 0.001 to 1800, not "0".\n' },
  ],
  [
    'a limit that is none',
    ['sessions', 'list', '--limit', 'x'],
    { code: 2, errors: '--limit takes a number from 1 to 200, not "x".\n' },
  ],
  [
    'a port that is none',
    ['serve', '--port', 'abc'],
    { code: 2, errors: '--port takes a number from 0 to 65535, not "abc".\n' },
  ],
  [
    'a port beyond all ports',
    ['serve', '--port', '65536'],
    { code: 2, errors: '--port takes a number from 0 to 65535, not "65536".\n' },
  ],
  [
    'an address of another kind',
    ['keys', 'list', '--url', 'ftp://a.example', '--key', 'x'],
    { code: 2, errors: '--url takes an address such as http://127.0.0.1:8020, not "ftp://a.example".\n' },
  ],
  ['no server anywhere', ['sessions', 'list'], { code: 3 }],
  [
    'a server that is not there',
    ['keys', 'list', '--url', 'http://127.0.0.1:9', '--key', 'x'],
    { code: 3, errors: 'http://127.0.0.1:9 does not respond. Is the server running?\n' },
  ],
])('exit codes: %s', async (_name, args, outcome) => {
  await using folder = await emptyFolder()
  expect(await folder.parley(args)).toMatchObject(outcome)
})

test('[W10.12] run prints the result and nothing else', async () => {
  await using parley = await withServer()
  expect(await parley.parley(['run', '法国的首都是什么?'])).toEqual({ code: 0, output: '巴黎\n', errors: '' })
})

test('[W10.12] run reads the prompt from a pipe', async () => {
  await using parley = await withServer()
  await parley.parley(['run'], { input: '法国的首都是什么?' })
  const sent = parley.server.commands.find(({ name }) => name === 'chat:send')
  expect(sent?.payload).toMatchObject({ message: '法国的首都是什么?', headless: true })
})

test('[W10.13] run --schema prints the object; --json prints everything on one line', async () => {
  await using parley = await withServer()
  parley.server.scripts['default'] = async (session) => {
    await session.start()
    await session.end({ result: { output: { countries: ['俄罗斯'] } } })
  }
  await writeFile(join(parley.path, 'schema.json'), '{"type":"object"}')
  const { output } = await parley.parley(['run', 'list', '--schema', join(parley.path, 'schema.json')])
  expect(output).toBe('{\n  "countries": [\n    "俄罗斯"\n  ]\n}\n')
  const json = await parley.parley(['run', 'list', '--json'])
  expect(JSON.parse(json.output)).toEqual({
    session_id: 'sess_2',
    chat_run_id: 'chat_1',
    result: { countries: ['俄罗斯'] },
  })
  expect(parley.server.commands.find(({ name }) => name === 'chat:send')?.payload).toMatchObject({
    output_schema: { type: 'object' },
  })
})

test('a failed run ends with 1 and its reason', async () => {
  await using parley = await withServer()
  expect(await parley.parley(['run', 'fail'])).toEqual({ code: 1, output: '', errors: 'The provider hung up.\n' })
})

test('a key that is not accepted ends with 4', async () => {
  await using parley = await withServer()
  const { code, errors } = await parley.parley(['run', 'x'], { env: { PARLEY_KEY: 'sk-wrong' } })
  expect([code, errors]).toEqual([
    4,
    `${parley.server.url} does not accept this key. Provide a valid one with --key or PARLEY_KEY.\n`,
  ])
})

test('a run that takes too long is stopped and ends with 124', async () => {
  await using parley = await withServer()
  const { code } = await parley.parley(['run', 'stop', '--timeout', '0.5'])
  expect(code).toBe(124)
  expect(parley.server.commands.map(({ name }) => name)).toContain('chat:stop')
})

test('[W2.2] without a key, the one in the data directory is used, for the server beside it only', async () => {
  await using parley = await withServer()
  const { server, dataDir } = parley
  await mkdir(dataDir)
  await writeFile(join(dataDir, 'owner.key'), `${KEY}\n`, { mode: 0o600 })
  await writeFile(join(dataDir, 'server.json'), JSON.stringify({ pid: process.pid, url: server.url }))
  const env = { PARLEY_KEY: '', PARLEY_URL: '' }
  expect(await parley.parley(['run', 'hello'], { env })).toMatchObject({ code: 0, output: '巴黎\n' })

  const elsewhere = server.url.replace('127.0.0.1', 'localhost')
  expect(await parley.parley(['run', 'hello', '--url', elsewhere], { env })).toMatchObject({ code: 4, output: '' })
  await writeFile(join(dataDir, 'server.json'), JSON.stringify({ pid: 2 ** 22 + 1, url: server.url }))
  expect(await parley.parley(['keys', 'list'], { env }), 'a server that is gone').toMatchObject({ code: 3 })
})

test('[W11.5] keys: create prints the key alone, list a table, revoke what it did', async () => {
  await using parley = await withServer()
  const key = {
    id: 'key_1',
    name: 'ci',
    masked: 'sk-...abcd',
    plaintext: null,
    created_at: '2026-01-01T00:00:00Z',
    last_used_at: null,
  }
  parley.server.routes['POST /api/user/api-keys/'] = () => ({ status: 201, body: { key, plaintext: 'sk-secret' } })
  parley.server.routes['GET /api/user/api-keys/'] = () => ({ status: 200, body: [key] })
  parley.server.routes['DELETE /api/user/api-keys/key_1'] = () => ({ status: 204 })
  expect(await parley.parley(['keys', 'create', 'ci'])).toMatchObject({ code: 0, output: 'sk-secret\n' })
  expect((await parley.parley(['keys', 'list'])).output).toBe(
    'ID     NAME  KEY         LAST USED\nkey_1  ci    sk-...abcd  never\n',
  )
  expect(JSON.parse((await parley.parley(['keys', 'list', '--json'])).output)).toEqual([key])
  expect(await parley.parley(['keys', 'revoke', 'key_1'])).toMatchObject({ code: 0, output: 'Revoked key_1.\n' })
})

test('[W12.13] agents: list their versions and problems, use one by its first digits', async () => {
  await using parley = await withServer()
  const version = (digit: string, more: object) => ({ version: digit.repeat(64), created_at: '2026-01-01', ...more })
  const support = {
    ...{ name: 'support', display_name: 'Support', description: null, version: 'b'.repeat(64), loaded_at: null },
    problem: 'agents/support/agent.yaml:1: modell',
    versions: [version('b', { sessions: 2, is_current: true }), version('a', { sessions: 10, is_current: false })],
  }
  const items = [{ name: 'default', display_name: 'default', description: null, version: null, versions: [] }, support]
  const asked: string[] = []
  parley.server.routes['GET /api/agents'] = () => ({ status: 200, body: { items } })
  parley.server.routes[`POST /api/agents/support/versions/${'a'.repeat(64)}:use`] = () => {
    asked.push('use')
    return { status: 200, body: { ...support, version: 'a'.repeat(64) } }
  }
  expect(await parley.parley(['agents'])).toMatchObject({
    code: 0,
    output: [
      'NAME     VERSION       SESSIONS  CREATED',
      'default  –',
      'support  bbbbbbbbbbbb  2         2026-01-01  current',
      'support  aaaaaaaaaaaa  10        2026-01-01',
      '',
    ].join('\n'),
    errors: 'agents/support/agent.yaml:1: modell\n',
  })
  const used = `New sessions of support get version ${'a'.repeat(64)}.\n`
  expect(await parley.parley(['agents', 'use', 'support', 'aaaa'])).toMatchObject({ code: 0, output: used })
  expect(asked).toEqual(['use'])
  expect(await parley.parley(['agents', 'use', 'support'])).toMatchObject({ code: 2, errors: 'VERSION is missing.\n' })
  expect(await parley.parley(['agents', 'use', 'support', 'ffff'])).toMatchObject({ code: 1 })
})

test('[W11.2] sessions: list, show with tools and thinking, delete', async () => {
  await using parley = await withServer()
  const session = parley.server.session()
  session.intent = '目录'
  await parley.server.scripts['tool']!(session, { message: '列出文件' })
  const listed = await parley.parley(['sessions', 'list'])
  expect(listed.output).toContain('sess_1  completed  2026-01-01T00:00:00Z  目录\n')
  const shown = await parley.parley(['sessions', 'show', 'sess_1'])
  expect(shown.output).toBe(
    '目录  sess_1 · completed\n\nyou: 列出文件\nthinking: 让我想想\n我来帮你查看...\n● «Bash»  ls -la\n✓ total 48 5 ms\n当前目录有以下文件...\n',
  )
  expect(await parley.parley(['sessions', 'delete', 'sess_1'])).toMatchObject({
    code: 0,
    output: 'Deleted sess_1.\n',
  })
  expect(await parley.parley(['sessions', 'show', 'sess_1'])).toMatchObject({ code: 1, errors: 'No such session.\n' })
})

test.each([
  [['--language', 'zh', 'sessions', 'show'], '缺少 ID。\n'],
  [['sessions', 'show', '--language=zh-CN'], '缺少 ID。\n'],
  [['sessions', '--nonsense', '--language', 'zh'], '没有选项 --nonsense。\n用法见 `parley --help`。\n'],
  [['sessions', '--nonsense'], 'Unknown option --nonsense.\nSee `parley --help`.\n'],
  [['sessions', '--language', 'fr'], '--language takes en or zh, not "fr".\n'],
  [['sessions', '--language'], '--language takes en or zh, not "".\n'],
])('%j speaks the language it is told', async (args, errors) => {
  await using folder = await emptyFolder()
  expect(await folder.parley(args)).toEqual({ code: 2, output: '', errors })
})

test('sign-in-link prints a link that signs in once', async () => {
  await using folder = await emptyFolder()
  const serve = folder.start(['serve', '--port', '0'])
  await serve.shown('sign-in link')
  const { code, output } = await folder.parley(['sign-in-link'])
  expect(code).toBe(0)
  expect(output).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/auth\/login\?code=\S+\n$/)
  expect((await fetch(output.trim(), { redirect: 'manual' })).status).toBe(302)
  serve.interrupt()
  await serve.ended
})
