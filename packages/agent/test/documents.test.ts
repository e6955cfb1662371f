import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from '@parley/testkit'
import { expect, test } from 'vitest'
import { resolveConfig } from '../src/agent-config.ts'
import { ScriptedModel } from '../src/index.ts'

const root = join(import.meta.dirname, '../../..')

/** A folder with what the repository has installed. */
async function makeFolder() {
  const path = await mkdtemp(join(tmpdir(), 'parley-agent-docs-'))
  await symlink(join(root, 'node_modules'), join(path, 'node_modules'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

async function printed(file: string, args: string[], cwd: string): Promise<string[]> {
  await using program = startProgram(process.execPath, ['--conditions=parley-source', file, ...args], { cwd })
  expect([await program.exited, ...program.lines]).toEqual([0, ...program.lines])
  return [...program.lines]
}

test('[S17] what the README shows runs, and ends by itself', async () => {
  await using folder = await makeFolder()
  const readme = await readFile(join(root, 'packages/agent/README.md'), 'utf8')
  const file = join(folder.path, 'example.ts')
  await writeFile(file, /```ts\n([^`]*(?:`(?!``)[^`]*)*)```/.exec(readme)![1]!)
  expect(await printed(file, [], folder.path)).toEqual([
    'processing_started',
    'confirmation_check',
    'confirmation_required',
    '即将执行操作: delete_boss_config，请确认是否继续？',
    '已成功删除所有 Boss 配置',
  ])
})

test('[S17] [S18.8] the example asks in one process, and acts in the next', async () => {
  await using folder = await makeFolder()
  const shop = join(root, 'examples/library/shop.mjs')
  const asked = await printed(shop, [], folder.path)
  expect(asked).toContain('tool_call_completed find_order')
  expect(asked.at(-1)).toContain('refund')
  const done = await printed(shop, ['确认'], folder.path)
  expect(done).toContain('tool_call_completed refund')
  expect(done.at(-1)).toBe('Order 7 is refunded.')
})

test('[S17] an agent that nobody closes keeps no process alive', async () => {
  expect(await printed(join(import.meta.dirname, 'workers/left-open.ts'), [], root)).toEqual(['hello'])
})

test('the README has a row for every option, and for nothing else', async () => {
  const readme = await readFile(join(root, 'packages/agent/README.md'), 'utf8')
  const rows = readme.slice(readme.indexOf('\n## Options')).match(/^\| `(\w+)` \|/gm)!
  const named = rows.map((row) => /`(\w+)`/.exec(row)![1]!)
  const { behavior } = resolveConfig({ llm: new ScriptedModel([]) })
  expect(named).toEqual(expect.arrayContaining(Object.keys(behavior)))
  const config = ['llm', 'plugins', 'systemPrompt', 'behavior', 'dataDir', 'language', 'logger']
  const chat = ['sessionId', 'messageId', 'history', 'pendingConfirmation', 'skipConfirmation', 'skipKnowledge']
  const more = ['systemPrompt', 'context', 'abortSignal', 'onEvent']
  expect(named.toSorted()).toEqual([...config, ...Object.keys(behavior), ...chat, ...more].toSorted())
})
