import { cp, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ToolProcesses } from '../../../src/tools/own/tool-processes.ts'
import type { ToolFiles } from '../../../src/tools/own/tool-files.ts'
import { folderWith, IMPORTS, openProcesses, toolText } from './rig.ts'

const callIn = (processes: ToolProcesses, source: ToolFiles, [name, file]: [string, string]) =>
  processes.call(source, {
    tool: { name, file, timeoutMs: 20_000 },
    input: {},
    context: { session_id: 'sess_1', subject: null, tool_call_id: 'call_1', attempt: 1, workspace: '/' },
    signal: new AbortController().signal,
    onProgress: () => undefined,
  })

test('[W12.10] tools are listed whether a file exports one, several or a list, and @parley/tools is found where nobody installed it', async () => {
  await using folder = await folderWith({
    'one.ts': `${IMPORTS}export default ${toolText('one', '() => 1', "risk: 'high', replay: 'keyed',")}`,
    'some.ts': `${IMPORTS}export const two = ${toolText('two', '() => 2')}\nexport const unrelated = 7\nexport const list = [two, ${toolText('three', '() => 3')}]`,
    'plain.mjs': `import { defineTool } from '@parley/tools'
export const four = defineTool({ name: 'four', description: 'd', display_name: { zh: '四', en: 'Four' },
  input: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }, run: ({ n }) => n + 4 })`,
  })
  using processes = openProcesses()
  const files = ['one.ts', 'some.ts', 'plain.mjs'].map(folder.at)
  const { tools, problems } = await processes.list({ files, project: folder.path })
  expect(problems).toEqual([])
  expect(tools.map(({ name, file }) => [name, file])).toEqual([
    ['one', files[0]],
    ['two', files[1]],
    ['three', files[1]],
    ['four', files[2]],
  ])
  expect(tools[0]).toMatchObject({ risk: 'high', replay: 'keyed', readOnly: false, timeoutMs: 120_000 })
  expect(tools[3]).toMatchObject({ display_name: { zh: '四', en: 'Four' }, input: { required: ['n'] } })
})

test('[W12.10] what is wrong with a file is named by path and line, and the others are listed all the same', async () => {
  await using folder = await folderWith({
    'good.ts': `${IMPORTS}export default ${toolText('good', '() => 1')}`,
    'syntax.ts': 'const fine: number = 1\nexport const broken = {\n  a: (\n}\n',
    'syntax.mjs': 'export const fine = 1\nexport const broken = (;\n',
    'missing.ts': "\nimport { nothing } from 'no-such-package'\nexport default nothing",
    'absent.ts': "\n\nimport { nothing } from './no-such-file.ts'\nexport default nothing",
    'inner.ts': "import './syntax.ts'\n",
    'throws.ts': "\nthrow new Error('at import')\n",
    'unnamed.ts': "\nimport { nothing } from './good.ts'\nexport default nothing",
    'misspelt.ts': `${IMPORTS}\nexport default ${toolText('misspelt', '() => 1', "riks: 'high',")}`,
    'nameless.ts': `${IMPORTS}export default ${toolText('my_agent', '() => 1')}`,
    'same.ts': `${IMPORTS}export default ${toolText('good', '() => 2')}`,
    'reserved.ts': `${IMPORTS}export default ${toolText('mcp__mine', '() => 2')}`,
    'empty.ts': 'export const seven = 7\n',
  })
  using processes = openProcesses()
  const names = [
    'good',
    'syntax',
    'missing',
    'absent',
    'inner',
    'throws',
    'unnamed',
    'misspelt',
    'nameless',
    'same',
    'reserved',
    'empty',
  ]
  const files = [...names.map((name) => folder.at(`${name}.ts`)), folder.at('syntax.mjs')]
  const { tools, problems } = await processes.list({ files, project: folder.path })
  expect(tools.map(({ name }) => name)).toEqual(['good'])
  const told = problems.map(({ file, line, column, message }) => [
    file.slice(folder.path.length + 1),
    line,
    column,
    message,
  ])
  expect(told).toEqual(
    expect.arrayContaining([
      ['syntax.ts', 4, 1, expect.stringContaining('Expression expected')],
      ['missing.ts', 2, 26, expect.stringContaining("'no-such-package'")],
      ['absent.ts', 3, 28, expect.stringContaining('no-such-file.ts')],
      ['syntax.ts', 4, 1, expect.stringContaining('Expression expected')],
      ['throws.ts', 2, 7, 'at import'],
      ['unnamed.ts', 2, 10, expect.stringContaining("does not provide an export named 'nothing'")],
      ['misspelt.ts', 4, 16, expect.stringContaining('riks')],
      ['nameless.ts', 3, 16, expect.stringContaining('may not contain "agent" or "fork"')],
      ['same.ts', undefined, undefined, `${folder.at('good.ts')} has a tool named good too; rename one.`],
      ['reserved.ts', undefined, undefined, 'the server needs the name mcp__mine for itself.'],
      ['empty.ts', undefined, undefined, 'It exports no tool made by defineTool.'],
      ['syntax.mjs', 2, 24, expect.stringContaining('Unexpected token')],
    ]),
  )
  expect(told).toHaveLength(12)
})

test.each([
  ['ends the process', 'process.exit(3)', /ended its process \(exit code 3\)/],
  ['never ends', 'for (;;);', /could not be imported within 5000 ms/],
  [
    'waits for ever',
    'setInterval(() => 1, 1000)\nawait new Promise(() => undefined)',
    /could not be imported within 5000 ms/,
  ],
  [
    'fills the memory',
    'const all = []\nfor (;;) all.push(Buffer.alloc(5e7, 1))',
    /more than 1024 MB|could not be imported/,
  ],
] as const)(
  '[W12.10] a file that %s when it is imported is named, and costs the others nothing',
  async (_what, code, message) => {
    await using folder = await folderWith({
      'bad.ts': code,
      'good.ts': `${IMPORTS}export default ${toolText('good', '() => 1')}`,
    })
    using processes = openProcesses({ importMs: 5_000 })
    const files = [folder.at('bad.ts'), folder.at('good.ts')]
    const source = { files, project: folder.path }
    const { tools, problems } = await processes.list(source)
    expect(problems).toEqual([{ file: files[0], message: expect.stringMatching(message) }])
    expect(tools.map(({ name }) => name)).toEqual(['good'])
    // Only the file that has the tool is imported for a call.
    expect(await callIn(processes, source, ['good', files[1]!])).toEqual({ result: 1 })
  },
)

test('[W12.10] a copied folder imports its own files from the copy, packages and files outside as the original would', async () => {
  await using folder = await folderWith({
    'project/package.json': '{ "type": "module" }',
    'project/node_modules/shop/package.json': '{ "name": "shop", "type": "module", "exports": "./index.js" }',
    'project/node_modules/shop/index.js': "export const shop = 'the shop'",
    'project/lib/prices.ts': "export const prices: string = 'prices of the project'",
    'project/agents/sales/lib.ts': "export const own: string = 'version 1'",
    'project/agents/sales/tools/look.ts': `${IMPORTS}import { shop } from 'shop'
import { prices } from '../../../lib/prices.ts'
import { own } from '../lib.ts'
export default ${toolText('look', '() => [shop, prices, own]')}`,
    'project/agents/sales/tools/broken.ts': 'export const broken = (\n',
  })
  await symlink(folder.path, folder.at('elsewhere'))
  const [from, to] = [folder.at('project/agents/sales'), folder.at('elsewhere/data/agents/0123')]
  await cp(from, to, { recursive: true })
  // The original goes on: to another version, or away.
  await rm(join(from, 'lib.ts'))
  using processes = openProcesses()
  const files = [join(to, 'tools/look.ts'), join(to, 'tools/broken.ts')]
  const source = { files, project: folder.at('project'), moved: { from, to } }
  const { tools, problems } = await processes.list(source)
  expect(problems).toMatchObject([{ file: join(from, 'tools/broken.ts'), line: expect.any(Number) }])
  expect(tools).toMatchObject([{ name: 'look', file: files[0] }])
  expect(await callIn(processes, source, ['look', files[0]!])).toEqual({
    result: ['the shop', 'prices of the project', 'version 1'],
  })
  await rm(from, { recursive: true })
  expect((await processes.list({ ...source, files: [files[0]!] })).tools).toHaveLength(1)
})
