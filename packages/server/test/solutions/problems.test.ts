import { execFileSync } from 'node:child_process'
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Folders } from '../agents/folders.ts'
import { World } from '../wire/world.ts'
import { SHOP, solutionsOf } from './shop.ts'

type Files = Record<string, string>

/** Puts something into the folder of a solution that has one role. */
type Prepare = Files | ((folder: string) => Promise<unknown>)

const GOOD: Files = {
  'solution.yaml': 'name: One\nroles: [clerk]\n',
  'roles/clerk/role.yaml': 'name: Clerk\n',
  'skills/notes/SKILL.md': '---\nname: notes\ndescription: d\n---\nx\n',
}
const SERVER = JSON.stringify({ mcpServers: { far: { url: 'https://mcp.example.com', disabled: true } } }, null, 1)

const WRONG: readonly (readonly [Prepare, string | RegExp])[] = [
  [{ 'solution.yaml': '' }, /^\.\/solution\.yaml:1: name: /],
  [{ 'solution.yaml': 'name: A\n\nroles: [clerk, clerk]' }, './solution.yaml:3: roles: names a role twice'],
  [
    { 'solution.yaml': 'name: A\nroles:\n  - clerk\n  - boss' },
    './solution.yaml:4: roles.1: there is no roles/boss/role.yaml',
  ],
  [{ 'solution.yaml': 'name: A\nid: b' }, /^\.\/solution\.yaml:2: id: must be the name of its folder, s\d+$/],
  [{ 'solution.yaml': 'name: A\ninitial_mode: running' }, /^\.\/solution\.yaml:2: initial_mode: /],
  [{ 'solution.yaml': 'name: A\npolicy: {}' }, './solution.yaml:2: policy: stands in a file of its own, policy.yaml.'],
  [{ 'solution.yaml': 'name: A\nskill_tools_enabled: false' }, /^\.\/solution\.yaml:2: skill_tools_enabled: cannot be/],
  [{ 'solution.yaml': 'name: A\nmanifest_version: 2' }, './solution.yaml:2: manifest_version: must be 3'],
  [{ 'solution.yaml': 'name: &a A\ndescription: *a' }, './solution.yaml:2: aliases are not supported'],
  [
    { 'solution.yaml': 'name: A\nmodel: no-such-model' },
    './solution.yaml:2: model: this server has no model no-such-model',
  ],
  [{ 'solution.yml': 'name: A' }, './solution.yml: must be called solution.yaml'],
  [
    { 'roles/clerk/role.yaml': 'name: C\nmodel: none' },
    './roles/clerk/role.yaml:2: model: this server has no model none',
  ],
  [{ 'roles/clerk/role.yaml': 'nam: C' }, /role\.yaml:1: nam: there is no such field\. Did you mean name\?/],
  [
    { 'roles/clerk/role.yaml': 'name: C\nid: boss' },
    './roles/clerk/role.yaml:2: id: must be the name of its folder, clerk',
  ],
  [
    { 'roles/clerk/role.yaml': 'name: C\nlocal_skills:\n  - notes\n  - notes2' },
    './roles/clerk/role.yaml:4: local_skills.1: there is no skills/notes2/SKILL.md',
  ],
  [
    { 'roles/clerk/role.yaml': 'name: C\nlocal_skills: [../notes]' },
    /role\.yaml:2: local_skills\.0: must be the id of a skill/,
  ],
  [
    { 'roles/clerk/role.yaml': 'name: C\nmcp_servers: [far]' },
    './roles/clerk/role.yaml:2: mcp_servers.0: mcp.json has no server far',
  ],
  [
    { 'roles/clerk/role.yaml': `name: C\ndescription: ${'x'.repeat(5_000)}` },
    './roles/clerk/role.yaml: is longer than 4096 characters',
  ],
  [{ 'roles/clerk/role.yml': 'name: C' }, './roles/clerk/role.yml: must be called role.yaml'],
  [{ 'roles/clerk/instructions.md': ' \n' }, './roles/clerk/instructions.md: is empty'],
  [
    { 'roles/clerk/AGENTS.md.j2': 'Hello {{ user.name }}' },
    /^\.\/roles\/clerk\/AGENTS\.md\.j2: is not read; .* instructions\.md/,
  ],
  [{ 'roles/clerk/skills/a/SKILL.md': 'x' }, /^\.\/roles\/clerk\/skills: skills lie in skills\/ of the solution/],
  [{ 'solution.yaml': 'name: A', 'roles/a b/role.yaml': 'name: C' }, /^\.\/roles\/a b: is no name for a role/],
  [{ 'mcp.json': '{\n "far": {\n  "url": 7\n }\n}' }, /^\.\/mcp\.json:2: far: url /],
  [
    { 'mcp.json': SERVER, 'skills/notes/resources/mcp-config.json': SERVER },
    './skills/notes/resources/mcp-config.json: there is another server named far',
  ],
  [{ 'skills/notes/resources/a.mcp.json': '{\n"far" 1}' }, /^\.\/skills\/notes\/resources\/a\.mcp\.json:2:\d+: /],
  [{ 'policy.yaml': 'rules:\n  - tool: Bash\n    decision: maybe' }, /^\.\/policy\.yaml:3: rules\.0\.decision: /],
  [
    Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`roles/r${at}/role.yaml`, 'name: C'])),
    './roles: has more than 32 folders',
  ],
  [(folder) => symlink('/etc/passwd', join(folder, 'ui.json')), './ui.json: is a link that leads out of the folder'],
  [async (folder) => execFileSync('mkfifo', [join(folder, 'ui.json')]), './ui.json: is neither a file nor a folder'],
  [
    async (folder) => {
      await writeFile(join(folder, 'ui.json'), '')
      await truncate(join(folder, 'ui.json'), 100 * 1024 * 1024)
    },
    './ui.json: has 104857600 bytes; a file has at most 4194304',
  ],
  [
    async (folder) => {
      for (let at = 0; at < 1_001; at++) await writeFile(join(folder, 'skills', `${at}.md`), '')
    },
    /has more than 1000 files, the most that it may have$/,
  ],
]

test('[W12.7.3] [W12.13.5] every mistake of a solution is named by path and line, and harms no other', async () => {
  await using folders = await Folders.make(SHOP)
  for (const [index, [prepare]] of WRONG.entries()) {
    const files = typeof prepare === 'function' ? GOOD : { ...GOOD, ...prepare }
    await folders.write(Object.fromEntries(Object.entries(files).map(([path, text]) => [`s${index}/${path}`, text])))
    if (typeof prepare === 'function') await prepare(join(folders.path, `s${index}`))
  }
  await mkdir(join(folders.path, 'No Name'))
  await using world = await World.open('sqlite', { solutionsDir: folders.path })
  const told = async () => {
    const { problems = {} } = await solutionsOf(world)
    return WRONG.map((_, at) => (problems[`s${at}`] ?? '').replaceAll(join(folders.path, `s${at}`), '.'))
  }
  const expected = WRONG.map(([, problem]): unknown =>
    typeof problem === 'string' ? problem : expect.stringMatching(problem),
  )
  await expect.poll(told, { timeout: 60_000 }).toEqual(expected)
  const { items } = await solutionsOf(world)
  expect(items.map(({ id }) => id)).toEqual(['general_chat', 'shop', 'skill_editor', 'software_factory'])
  expect(world.warnings.join()).toMatch(/No Name: is no name for a solution; small letters, digits, _ and -/)
  expect(world.errors).toEqual([])
}, 120_000)

test('[W12.7.3] what may be a mistake is said with path and line, and changes nothing', async () => {
  await using folders = await Folders.make({
    'one/solution.yaml': 'name: One\nroles: [clerk]\ntools: [Read]',
    'one/roles/clerk/role.yaml': 'name: Clerk\ntools:\n  - Read\n  - Raed',
    'one/roles/other/role.yaml': 'name: Other',
    'one/roles/clerk/init/run.sh': 'exit 1',
    'one/skills/broken/SKILL.md': 'no front matter',
    'one/policy.yaml': 'rules:\n  - tool: Grepp\n    decision: deny',
    'one/skils/a.md': 'x',
  })
  await using world = await World.open('sqlite', { solutionsDir: folders.path })
  await expect.poll(async () => (await solutionsOf(world)).items.map(({ id }) => id)).toContain('one')
  await expect.poll(() => world.warnings.length).toBeGreaterThan(5)
  const said = world.warnings.join('\n')
  for (const warning of [
    /one\/roles\/clerk\/role\.yaml:4: tools\.1: this server has no tool Raed\. Did you mean Read\?/,
    /one\/roles\/other: is not among the roles of solution\.yaml/,
    /one\/roles\/clerk\/init\/run\.sh: is not run by this server/,
    /one\/skills\/broken\/SKILL\.md: the skill is left out: SKILL\.md must start with front matter/,
    /one\/policy\.yaml:2: rules\.0\.tool: the rule never decides/,
    /one\/skils\/: is part of no solution\. Did you mean skills\/\?/,
  ])
    expect(said).toMatch(warning)
  expect(world.errors).toEqual([])
})

test('[W12.7.1] an instance that lacks the folder begins and goes on with sessions of the solution', async () => {
  await using folders = await Folders.make(SHOP)
  await using one = await World.open('postgres', { solutionsDir: folders.path })
  await using two = await World.open('sqlite', { databaseUrl: one.databaseUrl! })
  const wanted = { body: { solution_id: 'shop', biz_role_id: 'seller', primary_skill_id: 'prices' } }
  const begun = await two.rest<{ id: string }>('POST', '/api/sessions', wanted)
  expect(begun.status).toBe(200)
  const { id } = (await one.rest<{ id: string }>('POST', '/api/sessions', wanted)).body
  two.learn({ 'what do you sell': [{ text: 'Pots.' }] })
  for (const session_id of [begun.body.id, id]) {
    await using chat = await two.chat({ session_id })
    await chat.run('what do you sell')
  }
  const prompts = two.requests('what do you sell').map(({ system, tools }) => [system, [...tools].sort()])
  expect(prompts[0]![0]).toMatch(/^This is the shop\.\n\nYou sell\.\n\n[^]*A pot costs 3\./)
  expect(prompts[1]).toEqual(prompts[0])
  expect((await two.session(id)).solution).toEqual((await one.session(id)).solution)
  // One that comes with the server goes on where a server of another age has none such.
  const ours = (await one.rest<{ id: string }>('POST', '/api/sessions', { body: { solution_id: 'skill_editor' } })).body
    .id
  expect((await two.session(ours)).solution).toMatchObject({ id: 'skill_editor' })
  expect(one.errors).toEqual([])
})
