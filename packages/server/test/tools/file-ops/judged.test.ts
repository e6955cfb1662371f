import { mkdir, readdir, symlink, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPolicy } from '../../../src/confirm/policy.ts'
import type { JsonObject } from '../../../src/ports.ts'
import { noSandbox } from '../../../src/sandbox/no-sandbox.ts'
import { LIMITS, SYSTEM_PATH } from '../../../src/sandbox/sandbox.ts'
import { fileTools } from '../../../src/tools/file-ops/file-tools.ts'
import { Searches } from '../../../src/tools/file-ops/searches.ts'
import { toolsFor } from '../../../src/tools/registry.ts'
import { workspaceWith } from './use.ts'

test.each([
  ['Read', { file_path: 'way/key.txt' }],
  ['Edit', { file_path: 'way/key.txt', old_string: 'key', new_string: 'door' }],
  ['Write', { file_path: 'way/new/deep.txt', content: 'mine' }],
  ['Glob', { path: 'way', pattern: '*' }],
  ['Grep', { path: 'way', pattern: 'key' }],
] as const)('%s touches the place that was judged, or none', async (name, given) => {
  await using workspace = await workspaceWith({ 'open/key.txt': 'a key', 'secrets/key.txt': 'the key' })
  const way = join(workspace.path, 'way')
  await mkdir(join(workspace.path, 'open/new'))
  await symlink('open', way)
  const definitions = fileTools(
    new Searches({
      sandbox: noSandbox({ limits: LIMITS, groups: undefined, path: SYSTEM_PATH, reason: 'off' }),
      leaseMs: 5_000,
    }),
  )
  const rules = (['file_path', 'path'] as const).map((argument) => ({
    tool: '*',
    arguments: { [argument]: 'secrets*' },
    decision: 'deny' as const,
  }))
  const tools = toolsFor(() => definitions, {
    session_id: 'sess_1',
    workspace: async () => workspace.path,
    subject: async () => null,
    directory: workspace.path,
    env: {},
    notify: () => undefined,
    language: 'en',
    disabled: [],
    isPlanning: false,
    isHeadless: false,
    isNamed: () => true,
    policy: createPolicy({ rules, headless: 'fail' }),
  })
  const tool = tools.find(name)!
  const input: JsonObject = { ...given }
  const context = { tool_call_id: 'tc_1', attempt: 1, signal: AbortSignal.timeout(10_000) }
  expect(tools.judge(tool, input)).toEqual({ type: 'allow' })
  await unlink(way)
  await symlink('secrets', way)
  await expect(tool.run(input, context)).rejects.toThrow('leads to secrets')
  expect(await readdir(join(workspace.path, 'secrets'))).toEqual(['key.txt'])
  expect(tools.judge(tool, input)).toMatchObject({ type: 'deny' })
  await unlink(way)
  await symlink('open', way)
  expect(tools.judge(tool, input)).toEqual({ type: 'allow' })
  await tool.run(input, context)
})
