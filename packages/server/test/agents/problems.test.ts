import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdir, open, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { World } from '../wire/world.ts'
import { agentOf, agentsOf, begin, Folders, newestInstructions } from './folders.ts'

/** Puts something into the folder of an agent. */
type Prepare = (folder: string) => Promise<unknown>

const put =
  (file: string, text: string | Buffer): Prepare =>
  (folder) =>
    writeFile(join(folder, file), text)

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now()
  await work()
  return performance.now() - since
}

/** Every one of them in a folder of its own beside a good one; a server has them all, and says what is wrong with each. */
async function expectProblems(cases: readonly (readonly [Prepare, string | RegExp])[]): Promise<void> {
  await using folders = await Folders.make({ 'good/instructions.md': 'Be kind.' })
  for (const [index, [prepare]] of cases.entries()) {
    await folders.write({ [`a${index}/instructions.md`]: 'Be kind.' })
    await prepare(join(folders.path, `a${index}`))
  }
  await using world = await World.open('sqlite', { agentsDir: folders.path })
  const told = async () => {
    const agents = await agentsOf(world)
    const problems = cases.map((_, index) => agents.find(({ name }) => name === `a${index}`)?.problem ?? '')
    return problems.map((problem, index) => problem.replaceAll(join(folders.path, `a${index}`), '.'))
  }
  const expected = cases.map(([, problem]): unknown =>
    typeof problem === 'string' ? problem : expect.stringMatching(problem),
  )
  // A start does not wait long for so many.
  await expect.poll(told, { timeout: 45_000 }).toEqual(expected)
  expect((await agentOf(world, 'good')).instructions).toBe('Be kind.')
  expect(world.errors).toEqual([])
}

test('[W12.13.4] every mistake is named by its path and line', async () => {
  await expectProblems([
    [
      put('agent.yaml', 'description: a\n\nmodell: x'),
      './agent.yaml:3: modell: there is no such field. Did you mean model?',
    ],
    [put('agent.yaml', 'zzz: 1'), /^\.\/agent.yaml:1: zzz: there is no such field. Fields are: display_name, /],
    [put('agent.yaml', '# a\nmax_turns: many'), /^\.\/agent.yaml:2: max_turns: Invalid input/],
    [put('agent.yaml', 'tools:\n  - Read\n  - 7'), /^\.\/agent.yaml:3: tools.1: /],
    [put('agent.yaml', 'model: x\n  bad: ['), /^\.\/agent.yaml:\d: /],
    [put('agent.yaml', 'model: a\nmodel: b'), './agent.yaml:2: Map keys must be unique'],
    [put('agent.yaml', 'model: !!js/function x'), /^\.\/agent.yaml:1: Unresolved tag/],
    // Aliases could make gigabytes of a few lines.
    [put('agent.yaml', 'tools: &a [Read]\ndescription: *a'), './agent.yaml:2: aliases are not supported'],
    [put('agent.yaml', '- a'), /^\.\/agent.yaml:1: Invalid input: expected object/],
    [put('agent.yaml', '['.repeat(30_000)), /^\.\/agent.yaml/],
    [put('agent.yaml', '#'.repeat(33_000)), './agent.yaml: is longer than 32768 characters'],
    [put('agent.yaml', 'policy: {}'), './agent.yaml:1: policy: stands in a file of its own, policy.yaml.'],
    [
      put('policy.yaml', 'rules:\n  - tool: Bash\n    decison: deny'),
      /^\.\/policy.yaml:3: rules.0.decison: .* Did you mean decision\?/m,
    ],
    [put('agent.yaml', 'constructor: 1'), /^\.\/agent.yaml:1: constructor: there is no such field\. Fields are: /],
    [put('agent.yaml', '"a\\nb": 1'), /^\.\/agent.yaml:1: a\\nb: there is no such field/],
    [put('policy.yaml', '- '.repeat(15_000)), './policy.yaml: is nested deeper than 20'],
    [put('mcp.json', '['.repeat(15_000) + ']'.repeat(15_000)), './mcp.json: is nested deeper than 20'],
    [put('Policy.yaml', 'rules: []'), './Policy.yaml: must be called policy.yaml'],
    [put('policy.yml', 'rules: []'), './policy.yml: must be called policy.yaml'],
    [put('agent.json', '{}'), './agent.json: must be called agent.yaml'],
    [put('mcp.json', '{\n  "a": {,\n}'), /^\.\/mcp.json:2:9: /],
    [put('mcp.json', '{\n  "mcpServers": {\n    "x": { "comand": "npx" }\n  }\n}'), /^\.\/mcp.json:3: x: command /],
    [put('mcp.json', '{\n  "x": { "command": "npx", "timeoutMs": 1 }\n}'), /^\.\/mcp.json:2: x.timeoutMs: /],
    [put('instructions.md', '  \n'), './instructions.md: is empty'],
    [put('instructions.md', 'x'.repeat(256 * 1024 + 1)), './instructions.md: is longer than 262144 characters'],
    [put('instructions.md', Buffer.from([0x41, 0xff])), './instructions.md: is not UTF-8 text'],
    [
      async (folder) => {
        await put('README.md', 'x')(folder)
        await rm(join(folder, 'instructions.md'))
      },
      './instructions.md: is missing; an agent has at least that, or an agent.yaml',
    ],
    // Two at once.
    [
      async (folder) => {
        await put('agent.yaml', 'a: 1')(folder)
        await put('policy.yaml', 'b: 1')(folder)
      },
      /^\.\/agent.yaml:1: .*\n\.\/policy.yaml:1: /,
    ],
  ])
})

test('[W12.13.5] links are followed inside of a folder, and nothing that leads out or holds up', async () => {
  const link =
    (target: string): Prepare =>
    (folder) =>
      symlink(target, join(folder, 'README.md'))
  const leadsOut = './README.md: is a link that leads out of the folder'
  await expectProblems([
    [link('instructions.md'), ''],
    [link('../good/instructions.md'), leadsOut],
    [link('/etc/passwd'), leadsOut],
    [link('..'), leadsOut],
    [link('nowhere'), './README.md: is a link that leads nowhere'],
    [link('.'), leadsOut],
    [
      async (folder) => {
        await mkdir(join(folder, 'skills'))
        await symlink('.', join(folder, 'skills/again'))
      },
      './skills/again: is the same folder as skills; a link leads to no folder that is there already',
    ],
    [
      async (folder) => {
        await rm(folder, { recursive: true })
        await symlink('good', folder)
      },
      '.: is a link; the folder lies here itself',
    ],
    [
      async (folder) => execFileSync('mkfifo', [join(folder, 'notes.md')]),
      './notes.md: is neither a file nor a folder',
    ],
    [put('a\\..\\x.md', 'x'), /: the name has a control character, a backslash/],
    [put('a\nb.md', 'x'), /: the name has a control character, a backslash/],
    [
      async (folder) => {
        await mkdir(join(folder, 'a'.repeat(199)))
        await writeFile(join(folder, 'a'.repeat(199), 'x'), '')
      },
      /: the path is longer than 200 characters$/,
    ],
  ])
})

test('[W12.13.5] too many files, too large ones and too many bytes are refused by name, for little', async () => {
  const mega = 1024 * 1024
  const files =
    (...sizes: [name: string, bytes: number][]): Prepare =>
    async (folder) => {
      await mkdir(join(folder, 'skills'))
      for (const [name, bytes] of sizes) {
        await writeFile(join(folder, 'skills', name), '')
        await truncate(join(folder, 'skills', name), bytes)
      }
    }
  await expectProblems([
    [
      async (folder) => {
        await mkdir(join(folder, 'skills'))
        for (let i = 0; i < 10_000; i++) await (await open(join(folder, 'skills', `${i}.md`), 'w')).close()
      },
      /has more than 1000 files, the most that it may have$/,
    ],
    [files(['a', 100 * mega]), './skills/a: has 104857600 bytes; a file has at most 4194304'],
    [files(['a', 4 * mega], ['b', 4 * mega], ['c', 1]), /has more than 8388608 bytes, the most that it may have$/],
    [files(['a', 4 * mega], ['b', 3 * mega]), ''],
  ])
})

test('[W12.13.5] links that lead round in circles, too many folders and too much of anything cost little', async () => {
  const skills =
    (make: (at: string) => Promise<unknown>): Prepare =>
    async (folder) => {
      await mkdir(join(folder, 'skills'))
      await make(join(folder, 'skills'))
    }
  await expectProblems([
    [
      skills(async (at) => {
        for (let i = 0; i < 40; i++) await symlink('.', join(at, `l${i}`))
      }),
      /^\.\/skills\/l\d+: is the same folder as skills; a link leads to no folder that is there already$/,
    ],
    [
      skills(async (at) => {
        // Ten million paths of six links each, none of them deep.
        for (let i = 0; i < 6; i++) {
          await mkdir(join(at, `d${i}`))
          for (let j = 0; j < 15; j++) await symlink(`../d${i + 1}`, join(at, `d${i}`, `l${j}`))
        }
        await mkdir(join(at, 'd6'))
      }),
      /is the same folder as skills\/.*; a link leads to no folder/,
    ],
    [
      skills(async (at) => {
        for (let i = 0; i < 300; i++) await mkdir(join(at, `d${i}`))
      }),
      /^\.\/skills\/d\d+: with it the folder has more than 250 folders, the most that it may have$/,
    ],
    [
      skills(async (at) => {
        for (let i = 0; i < 5_000; i++) await (await open(join(at, `.${i}`), 'w')).close()
      }),
      /has more than 5000 entries, hidden ones included, the most that it may have$/,
    ],
  ])
})

test('[W12.13.3] a folder that somebody keeps writing to delays no session of another agent', async () => {
  await using folders = await Folders.make({ 'quiet/instructions.md': 'Be kind.', 'busy/instructions.md': 'Be kind.' })
  await using world = await World.open('sqlite', { agentsDir: folders.path })
  await begin(world, 'quiet')
  const log = join(folders.path, 'busy/log.txt')
  const writing = setInterval(() => writeFileSync(log, String(performance.now())), 40)
  try {
    // Whoever wants this one waits for what is being written.
    await expect.poll(() => msOf(() => begin(world, 'busy')), { timeout: 10_000 }).toBeGreaterThan(500)
    const others = await msOf(async () => {
      for (let i = 0; i < 20; i++) expect((await begin(world, 'quiet')).status).toBe(200)
    })
    expect(others).toBeLessThan(2_500)
  } finally {
    clearInterval(writing)
  }
})

test('[W12.13.3] a folder that changes on and on becomes no more than twenty versions a minute, and that is said', async () => {
  await using folders = await Folders.make({ 'restless/instructions.md': 'Be kind.' })
  await using world = await World.open('sqlite', { agentsDir: folders.path })
  const versions = async () => (await agentOf(world, 'restless')).versions!.length
  for (let i = 1; i < 20; i++) {
    await folders.write({ 'restless/log.txt': String(i) })
    await expect.poll(versions, { timeout: 45_000 }).toBe(i + 1)
  }
  await folders.write({ 'restless/log.txt': 'once more' })
  await expect.poll(() => world.warnings.join()).toMatch(/restless: was loaded 20 times in 60 seconds, and changes on/)
  expect(await versions()).toBe(20)
})

test('[W12.13.5] what is part of no agent is named, or left out', async () => {
  await using folders = await Folders.make({
    'support/instructions.md': 'Be kind.',
    'support/skils/x.md': '',
    'support/node_modules/a/index.js': 'x',
    'support/.git/x': 'x',
    'UPPER/agent.yaml': '',
  })
  await using world = await World.open('sqlite', { agentsDir: folders.path })
  const { files, problem } = await agentOf(world, 'support')
  expect(problem).toBeUndefined()
  expect(files.map(({ path }) => path)).toEqual(['instructions.md', 'skils/x.md'])
  expect(world.warnings.join()).toMatch(/support\/skils\/: is part of no agent. Did you mean skills\/\?/)
  expect(world.warnings.join()).toMatch(/UPPER: is no name for an agent/)
})

test('[W12.13.4] a broken folder changes nothing, is told once, and is forgotten when it is mended', async () => {
  await using folders = await Folders.make({ 'support/instructions.md': 'Be kind.' })
  await using world = await World.open('sqlite', { agentsDir: folders.path })
  const { version } = await agentOf(world, 'support')
  await folders.write({ 'support/agent.yaml': 'modell: x', 'support/instructions.md': 'Be rude.' })
  await expect.poll(async () => (await agentOf(world, 'support')).problem).toMatch(/agent.yaml:1: modell/)
  expect((await begin(world, 'support')).body.agent!.version).toBe(version)
  const stranger = await agentsOf(world, world.strangersKey)
  expect(stranger.find(({ name }) => name === 'support')).not.toHaveProperty('problem')
  await folders.write({ 'other/instructions.md': 'Other' })
  await expect.poll(() => newestInstructions(world, 'other')).toBe('Other')
  expect(world.warnings.filter((line) => line.includes('modell'))).toHaveLength(1)
  await folders.write({ 'support/agent.yaml': 'max_turns: 3' })
  await expect.poll(() => newestInstructions(world, 'support')).toBe('Be rude.')
  expect((await agentOf(world, 'support')).problem).toBeUndefined()
})

test('[W12.13.4] a directory of agents that is not there is said, and removes nobody', async () => {
  await using folders = await Folders.make({ 'support/instructions.md': 'Be kind.' })
  await using world = await World.open('sqlite', { agentsDir: folders.path })
  await world.stop()
  await rm(folders.path, { recursive: true })
  await world.start()
  expect(world.warnings.join()).toMatch(/cannot be read: ENOENT/)
  expect((await begin(world, 'support')).status).toBe(200)
})

test('[W12.13.10] rules that fit no tool of their agent are named with path and line, and those that may fit one later are not', async () => {
  const policy = (...tools: string[]) =>
    `rules:\n${tools.map((tool) => `  - tool: "${tool}"\n    decision: deny\n`).join('')}`
  const own = `import { defineTool } from '@parley/tools'
export default defineTool({ name: 'refund', description: 'x', input: { type: 'object' }, run: async () => 'x' })`
  await using folders = await Folders.make({
    'good/policy.yaml': policy('Bash', 'Re*', 'refund', '*', 'AskUserQuestion', 'skill__later'),
    'good/instructions.md': 'x',
    'good/tools/refund.ts': own,
    'slips/policy.yaml': policy('bash', 'Read', 'Bash', 'Delete*', 'mcp__gone__x'),
    'slips/agent.yaml': 'tools: [Read]',
    'later/policy.yaml': policy('mcp__files__x', '*_x', 'refnd'),
    'later/agent.yaml': 'description: x',
    'later/tools/refund.ts': own,
    'later/mcp.json': JSON.stringify({ files: { command: 'false' } }),
  })
  await using world = await World.open('sqlite', { agentsDir: folders.path })
  const said = () =>
    world.warnings
      .filter((line) => line.includes('policy.yaml'))
      .map((line) => (JSON.parse(line) as { msg: string }).msg.replace(folders.path, '.'))
      .sort()
  const never = (place: string, tool: string, advice = '') =>
    `./${place}.tool: the rule never decides: this agent has no tool ${tool}.${advice}`
  const expected = [
    never('later/policy.yaml:6: rules.2', 'refnd', ' Did you mean refund?'),
    never('slips/policy.yaml:2: rules.0', 'bash'),
    never('slips/policy.yaml:6: rules.2', 'Bash'),
    never('slips/policy.yaml:8: rules.3', 'Delete*'),
    never('slips/policy.yaml:10: rules.4', 'mcp__gone__x'),
  ].sort()
  await expect.poll(said, { timeout: 45_000 }).toEqual(expected)
  expect((await agentOf(world, 'slips')).problem).toBeUndefined()
})

test('[W12.13.9] tools that are listed and that nobody has are named with path and line', async () => {
  await using folders = await Folders.make({
    'slips/agent.yaml':
      'description: x\ntools:\n  - Read\n  - nonsense\n  - bash\n  - "Web*"\n  - skill__later\n  - refund\n',
    'slips/tools/refund.ts': `import { defineTool } from '@parley/tools'
export default defineTool({ name: 'refund', description: 'x', input: { type: 'object' }, run: async () => 'x' })`,
  })
  await using world = await World.open('sqlite', { agentsDir: folders.path })
  const said = () =>
    world.warnings
      .filter((line) => line.includes('agent.yaml'))
      .map((line) => (JSON.parse(line) as { msg: string }).msg.replace(folders.path, '.'))
  await expect
    .poll(said)
    .toEqual([
      './slips/agent.yaml:4: tools.1: this server has no tool nonsense.',
      './slips/agent.yaml:5: tools.2: this server has no tool bash. Did you mean Bash?',
    ])
  expect((await begin(world, 'slips')).status).toBe(200)
})
