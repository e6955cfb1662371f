import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TurnProjection } from '@parley/protocol'
import { expect, test } from 'vitest'
import { emptyFolder, withServer } from './command-line.ts'

test('run: Ctrl-C stops the run and ends with 130', async () => {
  await using parley = await withServer()
  const { server } = parley
  const script = server.scripts['stop']!
  const started = new Promise<void>((resolve) => {
    server.scripts['stop'] = (session, message) => {
      session.afterEvent = resolve
      return script(session, message)
    }
  })
  const run = parley.start(['run', 'stop', '--timeout', '30'])
  await started
  run.interrupt()
  expect(await run.ended).toEqual({ code: 130, output: '', errors: 'Stopped.\n' })
  expect(server.commands.map(({ name }) => name)).toContain('chat:stop')
})

test('the process ends by itself, with the code of its command', async () => {
  await using parley = await withServer()
  expect(await parley.start(['run', 'hello']).ended).toEqual({ code: 0, output: '巴黎\n', errors: '' })
  expect(await parley.start(['fly']).ended).toMatchObject({ code: 2 })
})

test('run without a server starts one in its own process, and the session is there for the next command', async () => {
  await using folder = await emptyFolder()
  expect(await folder.start(['run', 'hello']).ended).toMatchObject({
    code: 0,
    output: expect.stringContaining('demo model'),
    errors: '',
  })
  const chat = await folder.start(['chat'], { input: 'hello\n' }).ended
  expect(chat).toMatchObject({ code: 0, output: expect.stringContaining('demo model') })
})

test('[W12.6] a session goes into a file and comes back; a link to it works until it is ended', async () => {
  await using folder = await emptyFolder()
  const serve = folder.start(['serve', '--port', '0'])
  await serve.shown('sign-in link')
  const { session_id } = JSON.parse((await folder.parley(['run', 'hello', '--json'])).output) as { session_id: string }
  const file = join(folder.dataDir, 'out.zip')
  const exporting = ['sessions', 'export', session_id, '--output', file]
  expect(await folder.parley(exporting)).toMatchObject({ code: 0, output: `${file}\n` })
  expect(await folder.parley(exporting)).toMatchObject({ code: 2, errors: expect.stringContaining('out.zip') })
  const { output } = await folder.parley(['sessions', 'import', file, '--name', 'back'])
  expect(output).toMatch(/^sess_\w+\n$/)
  const shown = await folder.parley(['sessions', 'show', output.trim()])
  expect(shown.output).toContain('demo model')
  expect(shown.output).toContain('back')
  expect(await folder.parley(['sessions', 'import', join(folder.dataDir, 'none.zip')])).toMatchObject({ code: 2 })
  expect(await folder.parley(['sessions', 'import', join(folder.dataDir, 'server.json')])).toMatchObject({ code: 1 })
  const link = (await folder.parley(['sessions', 'share', session_id, '--days', '1'])).output.trim()
  expect((await fetch(link)).status).toBe(200)
  expect((await folder.parley(['sessions', 'unshare', session_id])).code).toBe(0)
  expect((await fetch(link)).status).toBe(404)
})

test('what people thought of an answer goes out with its session', async () => {
  await using folder = await emptyFolder()
  const serve = folder.start(['serve', '--port', '0'])
  await serve.shown('sign-in link')
  const { session_id } = JSON.parse((await folder.parley(['run', 'hello', '--json'])).output) as { session_id: string }
  const exported = async () => {
    const { output } = await folder.parley(['sessions', 'show', session_id, '--json'])
    return (JSON.parse(output) as { turns: TurnProjection[] }).turns.at(-1)!
  }
  const { url } = JSON.parse(await readFile(join(folder.dataDir, 'server.json'), 'utf8')) as { url: string }
  const key = (await readFile(join(folder.dataDir, 'owner.key'), 'utf8')).trim()
  const { turn_id } = await exported()
  const reply = await fetch(`${url}/api/sessions/${session_id}/messages/${turn_id}/feedback`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ value: 'dislike', comment: 'too short' }),
  })
  expect(reply.status).toBe(200)
  expect(await exported()).toMatchObject({ feedback: { value: 'dislike', comment: 'too short' } })
  expect((await folder.parley(['sessions', 'show', session_id])).output).toContain('\n👎 too short\n')
})

test('serve starts a server that the other commands find by its data directory, and ends with Ctrl-C', async () => {
  await using folder = await emptyFolder()
  const serve = folder.start(['serve', '--port', '0'])
  await serve.shown('sign-in link')
  for (const [args, said] of [
    [['--language', 'zh'], '没有会话 none。\n'],
    [['--language=en-GB'], 'There is no session none.\n'],
    [[], 'There is no session none.\n'],
  ] as const)
    expect(await folder.parley(['sessions', 'show', 'none', ...args])).toMatchObject({ code: 1, errors: said })
  expect(await folder.parley(['sessions', 'list', '--json'])).toMatchObject({
    code: 0,
    output: expect.stringContaining('"total":0'),
  })
  expect(await folder.start(['serve', '--port', '0']).ended, 'a second one').toMatchObject({ code: 3, output: '' })
  serve.interrupt()
  expect(await serve.ended).toMatchObject({ code: 0 })
  expect(await folder.parley(['sessions', 'list'])).toMatchObject({ code: 3 })
})
