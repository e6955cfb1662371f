import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { sharedWorld } from './world.ts'

const NOT_ALLOWED = expect.stringContaining('is not allowed with these arguments')

const world = sharedWorld('sqlite', {
  policy: {
    rules: [
      { tool: '*', arguments: { file_path: 'secrets/*' }, decision: 'deny' },
      { tool: '*', arguments: { path: 'secrets*' }, decision: 'deny' },
      { tool: 'Grep', arguments: { path: '.' }, decision: 'deny' },
      { tool: 'Write', arguments: { file_path: './asked/*' }, decision: 'ask' },
    ],
    headless: 'fail',
    confirmationMinutes: 15,
  },
})

/** A session whose workspace has a secret and many ways to it. */
async function place() {
  const session_id = await world().newSession()
  const workspace = join(world().dataDir, 'workspaces', session_id)
  for (const name of ['secrets', 'asked', 'open', 'x/y']) await mkdir(join(workspace, name), { recursive: true })
  await writeFile(join(workspace, 'secrets/key.txt'), 'the key')
  for (const [name, target] of Object.entries({
    link: 'secrets',
    'x/up': '../secrets',
    absolute: join(workspace, 'secrets'),
    chain: 'x/up',
    file: 'secrets/key.txt',
    new: 'secrets/new.txt',
    asking: 'asked',
  }))
    await symlink(target, join(workspace, name))
  return { session_id, workspace }
}

/** What each of the calls came to. */
async function callAll(session_id: string, question: string, calls: { name: string; arguments: object }[]) {
  world().learn({ [question]: [{ calls }, { text: 'Done.' }] })
  await using chat = await world().chat({ session_id })
  await chat.send(question)
  await vi.waitFor(async () => expect((await world().session(session_id)).status).not.toBe('running'), {
    timeout: 100_000,
    interval: 100,
  })
  return (await world().messages(session_id)).flatMap(({ tool_calls }) => tool_calls)
}

describe('rules see where a path leads, not how it is spelled', () => {
  const spellings = (workspace: string, name: string) => [
    `secrets/${name}`,
    `./secrets/${name}`,
    `.//./secrets//${name}`,
    `x/../secrets/${name}`,
    `none/../secrets/${name}`,
    `${workspace}/secrets/${name}`,
    `${workspace}/x/.././secrets/${name}`,
    `link/${name}`,
    `./x/up/${name}`,
    `absolute/${name}`,
    `chain/${name}`,
    ...(name === 'key.txt' ? ['file'] : ['new']),
  ]

  test.each([
    ['Read', 'key.txt', {}],
    ['Edit', 'key.txt', { old_string: 'key', new_string: 'door' }],
    ['Write', 'key.txt', { content: 'mine' }],
    ['Write', 'new.txt', { content: 'mine' }],
  ])('%s of %s', async (tool, name, rest) => {
    const { session_id, workspace } = await place()
    const calls = spellings(workspace, name).map((file_path) => ({ name: tool, arguments: { file_path, ...rest } }))
    const results = await callAll(session_id, `${tool} ${name}`, calls)
    expect(results).toHaveLength(calls.length)
    for (const call of results) expect(call).toMatchObject({ status: 'error', result: NOT_ALLOWED })
    expect(await readdir(join(workspace, 'secrets'))).toEqual(['key.txt'])
    expect(await readFile(join(workspace, 'secrets/key.txt'), 'utf8')).toBe('the key')
  })

  test('Glob and Grep, also where no path is given', async () => {
    const { session_id } = await place()
    const paths = ['secrets', './secrets/', 'x/../secrets', 'link', 'chain']
    const calls = paths.flatMap((path) => [
      { name: 'Glob', arguments: { pattern: '*', path } },
      { name: 'Grep', arguments: { pattern: 'key', path } },
    ])
    calls.push({ name: 'Grep', arguments: { pattern: 'key' } as never })
    for (const call of await callAll(session_id, 'search', calls))
      expect(call).toMatchObject({ status: 'error', result: NOT_ALLOWED })
  })

  test.each(['asked/a.txt', 'x/../asked/a.txt', 'asking/a.txt'])('consent is asked for %s', async (file_path) => {
    const { session_id, workspace } = await place()
    const calls = [{ name: 'Write', arguments: { file_path, content: 'mine' } }]
    const [call] = await callAll(session_id, `ask for ${file_path}`, calls)
    expect(call).toMatchObject({ tool_name: 'Write', status: 'awaiting_answer' })
    expect(await readdir(join(workspace, 'asked'))).toEqual([])
    await using chat = await world().chat({ session_id })
    await chat.answer()
    expect(await readdir(join(workspace, 'asked'))).toEqual(['a.txt'])
  })

  test('what other rules leave alone works as ever', async () => {
    const { session_id, workspace } = await place()
    const calls = [{ name: 'Write', arguments: { file_path: './open/../open/a.txt', content: 'fine' } }]
    const [call] = await callAll(session_id, 'open', calls)
    expect(call).toMatchObject({ status: 'done' })
    expect(await readdir(join(workspace, 'open'))).toEqual(['a.txt'])
  })

  test('a path that leads out is refused in the words of the tool', async () => {
    const { session_id } = await place()
    const [call] = await callAll(session_id, 'out', [{ name: 'Read', arguments: { file_path: '../../x' } }])
    expect(call).toMatchObject({ status: 'error', result: '../../x is outside the workspace.' })
  })
})

test('a thousand searches of one answer all find what there is', async () => {
  const session_id = await world().newSession()
  const workspace = join(world().dataDir, 'workspaces', session_id)
  await mkdir(join(workspace, 'deep'), { recursive: true })
  for (let index = 0; index < 50; index++) await writeFile(join(workspace, `deep/${index}.txt`), `number ${index}\n`)
  const calls = Array.from({ length: 1_000 }, (_, index) => ({
    name: 'Grep',
    arguments: { pattern: `number ${index % 50}$`, path: 'deep', limit: 1 + Math.floor(index / 50) },
  }))
  const results = await callAll(session_id, 'a thousand', calls)
  expect(results).toHaveLength(1_000)
  for (const [index, { result }] of results.entries())
    expect(result).toBe(`deep/${index % 50}.txt:1:number ${index % 50}`)
}, 120_000)
