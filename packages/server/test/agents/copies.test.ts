import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { World } from '../wire/world.ts'
import { agentOf, begin, Folders } from './folders.ts'

const call = (name: string) => ({ calls: [{ name, arguments: {} }] })

/** A tool that reads what it says from the disk with every call. */
const TOOL = `import { defineTool } from '@parley/tools'
const run = async () => (await import('./below/word.mjs?' + performance.now())).default
export default defineTool({ name: 'word', description: 'Says a word.', input: { type: 'object' }, run })
`

/** An MCP server that needs no package; its tool writes where it was started, and beside itself. */
const WRITER = `import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize')
    answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'w', version: '1' } })
  if (method === 'tools/list')
    answer(id, { tools: [{ name: 'note', description: 'Writes.', inputSchema: { type: 'object' } }] })
  if (method === 'tools/call') {
    writeFileSync('note.txt', 'a note')
    writeFileSync(new URL('note.txt', import.meta.url), 'a note')
    answer(id, { content: [{ type: 'text', text: process.cwd() }] })
  }
})
`

test('[W12.13.12] what an MCP server writes where it was started, or beside itself, changes nothing of its version', async () => {
  await using folders = await Folders.make({
    'able/instructions.md': 'Be able.',
    'able/mcp/writer.mjs': WRITER,
    'able/mcp.json': JSON.stringify({
      writer: { command: process.execPath, args: ['mcp/writer.mjs'] },
      inner: { command: process.execPath, args: ['writer.mjs'], cwd: 'mcp' },
    }),
  })
  await using world = await World.open('sqlite', { agentsDir: folders.path })
  const { version, files } = await agentOf(world, 'able')
  const copy = join(world.dataDir, 'agent-versions', version!)
  const { ino } = await stat(copy)
  await using chat = await world.chat({ session_id: (await begin(world, 'able')).body.id })
  const note = async (question: string, tool: string) => {
    world.learn({ [question]: [call(tool), { text: 'ok' }] })
    await chat.run(question)
    return world.requests(question).at(-1)!.results[0]!
  }
  const places = [await note('write', 'mcp__writer__note'), await note('inside', 'mcp__inner__note')]
  const work = join(world.dataDir, 'agent-versions', `work-${version}`)
  expect(places).toEqual([expect.stringContaining(`${work}/`), expect.stringMatching(/\/mcp$/)])
  expect(places[1]).toContain(`${work}/`)
  for (const place of places) expect(await readFile(join(place, 'note.txt'), 'utf8')).toBe('a note')
  expect(await readdir(copy)).toEqual(['instructions.md', 'mcp', 'mcp.json'])
  expect((await agentOf(world, 'able')).files).toEqual(files)

  await world.stop()
  await world.start()
  expect((await agentOf(world, 'able')).files).toEqual(files)
  expect((await stat(copy)).ino).toBe(ino)
  expect([...world.warnings, ...world.errors].filter((line) => line.includes(version!))).toEqual([])
})

test('[W12.13.1] a copy that somebody has changed is made anew before a tool of it runs, and that is said', async () => {
  await using folders = await Folders.make({
    'support/instructions.md': 'x',
    'support/tools/word.ts': TOOL,
    'support/tools/below/word.mjs': "export default 'good'",
  })
  await using world = await World.open('sqlite', { agentsDir: folders.path })
  const { version } = await agentOf(world, 'support')
  const copy = join(world.dataDir, 'agent-versions', version!)
  await using chat = await world.chat({ session_id: (await begin(world, 'support')).body.id })
  const word = async (question: string) => {
    world.learn({ [question]: [call('word'), { text: 'ok' }] })
    await chat.run(question)
    return world.requests(question).at(-1)!.results[0]!
  }
  const change = async (path: string, text: string) => {
    await mkdir(dirname(join(copy, path)), { recursive: true })
    await chmod(join(copy, path), 0o600).catch(() => undefined)
    await writeFile(join(copy, path), text)
  }
  expect(await word('before')).toBe('good')
  expect(world.warnings).toEqual([])
  const changes: [path: string, text: string][] = [
    ['tools/below/word.mjs', "export default 'evil'"],
    ['tools/node_modules/@parley/tools/package.json', '{}'],
    ['node_modules/zod/package.json', '{}'],
    ['package.json', '{ "type": "commonjs" }'],
    ['skills/evil/SKILL.md', 'x'],
  ]
  for (const [path, text] of changes) {
    await change(path, text)
    expect([path, await word(`after ${path}`)]).toEqual([path, 'good'])
    expect(world.warnings.splice(0).join()).toContain('is not what was stored, and is made anew')
    expect(await readFile(join(copy, path), 'utf8').catch(() => '')).not.toBe(text)
  }
  // What nobody reads may lie there.
  await change('note.txt', 'x')
  expect(await word('beside it')).toBe('good')
  expect([...world.warnings, ...world.errors]).toEqual([])
  // Where nobody can say what it was, nothing of it runs.
  const { DatabaseSync } = await import('node:sqlite')
  using database = new DatabaseSync(join(world.dataDir, 'parley.sqlite'))
  database.exec("UPDATE agent_versions SET files = 'damaged'")
  await change('tools/below/word.mjs', "export default 'evil'")
  world.learn({ lost: [call('word'), { text: 'ok' }] })
  expect((await chat.run('lost')).end).toMatchObject({ status: 'failed', error: { code: 'agent_not_available' } })
  expect(world.requests('lost')).toEqual([])
})
