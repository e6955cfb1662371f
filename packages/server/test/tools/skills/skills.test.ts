import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { Rig, skillText, owner } from './rig.ts'

test('every skill of a configured directory becomes a read-only tool', async () => {
  await using rig = await Rig.open()
  await rig.write('weekly-report/SKILL.md', skillText('weekly-report', 'Write.', 'display_name: 周报\nversion: 2\n'))
  await rig.write('acme/invoices/SKILL.md', skillText('invoices'))
  const tools = await rig.skills.skillsOf(owner('sess_1'))
  expect(tools.map(({ name }) => name)).toEqual(['skill__acme__invoices', 'skill__weekly-report'])
  expect(tools[1]).toMatchObject({
    provider: 'skill',
    risk: 'low',
    readOnly: true,
    replay: 'safe',
    display_name: { zh: '周报', en: '周报' },
    description: expect.stringContaining('What weekly-report is good for.'),
    input: { type: 'object' },
  })
  expect(await rig.skills.list()).toEqual([
    {
      id: 'acme/invoices',
      name: 'invoices',
      display_name: 'invoices',
      description: 'What invoices is good for.',
      source: 'global',
      version: null,
    },
    {
      id: 'weekly-report',
      name: 'weekly-report',
      display_name: '周报',
      description: 'What weekly-report is good for.',
      source: 'global',
      version: '2',
    },
  ])
  expect(rig.warnings).toEqual([])
})

test('the result of a skill is its text and the paths of its files, which are there and can be run', async () => {
  await using rig = await Rig.open()
  await rig.write('acme/hello/SKILL.md', skillText('hello', '# Greet\n\nRun scripts/hello.sh.'))
  await rig.write('acme/hello/scripts/hello.sh', '#!/bin/sh\necho hello\n')
  await rig.write('acme/hello/references/words.md', 'words')
  const result = await rig.call('skill__acme__hello')
  expect(result).toMatch(/^# Greet\n\nRun scripts\/hello\.sh\./)
  expect(result).not.toContain('description:')
  expect(result.match(/- \.skills\/.*/g)).toEqual([
    '- .skills/acme/hello/SKILL.md',
    '- .skills/acme/hello/references/words.md',
    '- .skills/acme/hello/scripts/hello.sh',
  ])
  const { stdout } = await promisify(execFile)(join(rig.workspace, '.skills/acme/hello/scripts/hello.sh'))
  expect(stdout).toBe('hello\n')
})

test('a second use repairs what the agent changed, and leaves what is as it was', async () => {
  await using rig = await Rig.open()
  await rig.write('hello/SKILL.md', skillText('hello'))
  await rig.write('hello/data.txt', 'data')
  await rig.call('skill__hello')
  const untouched = await stat(join(rig.workspace, '.skills/hello/SKILL.md'))
  await writeFile(join(rig.workspace, '.skills/hello/data.txt'), 'tampered')
  await Promise.all([rig.call('skill__hello'), rig.call('skill__hello')])
  expect(await readFile(join(rig.workspace, '.skills/hello/data.txt'), 'utf8')).toBe('data')
  expect((await stat(join(rig.workspace, '.skills/hello/SKILL.md'))).ino).toBe(untouched.ino)
})

test('files of a skill are never written through a link that leaves the workspace', async () => {
  await using rig = await Rig.open()
  await rig.write('hello/SKILL.md', skillText('hello'))
  const outside = join(rig.home, 'outside')
  await mkdir(outside)
  await symlink(outside, join(rig.workspace, '.skills'))
  await expect(rig.call('skill__hello')).rejects.toThrow(/outside the workspace/)
  expect(await readdir(outside)).toEqual([])
})

test('[[links]] name the tool to call, those of the same org first', async () => {
  await using rig = await Rig.open()
  const body = 'See [[charts]], [[other/charts]], [[Sums]] and [[gone]].'
  await rig.write('acme/report/SKILL.md', skillText('report', body))
  await rig.write('acme/charts/SKILL.md', skillText('charts'))
  await rig.write('other/charts/SKILL.md', skillText('charts'))
  await rig.write('sums/SKILL.md', skillText('Sums'))
  expect(await rig.call('skill__acme__report')).toContain(
    'See charts (call the tool skill__acme__charts), charts (call the tool skill__other__charts), ' +
      'Sums (call the tool skill__sums) and gone (no such skill is installed).',
  )
})

test.each([
  ['no front matter', '# Just text', /must start with front matter/],
  ['front matter that never ends', '---\nname: x\ndescription: y\n', /must start with front matter/],
  ['an empty description', '---\nname: x\ndescription: ""\n---\n', /description: must not be empty/],
  ['a name that is not a text', '---\nname: [1]\ndescription: y\n---\n', /name: /],
  ['an empty name', '---\nname: ""\ndescription: y\n---\n', /name: must not be empty/],
  ['broken YAML', '---\nname: "x\ndescription: y\n---\n', /is not YAML/],
  ['a list', '---\n- a\n---\n', /does not fit/],
  ['aliases', '---\na: &a [1, 1]\nname: x\ndescription: y\nb: [*a, *a]\n---\n', /is not YAML/],
  ['endless front matter', `---\nname: x\n${'#'.repeat(20_000)}\n---\n`, /longer than 16384/],
  ['an endless text', `---\nname: x\ndescription: y\n---\n${'x'.repeat(300_000)}`, /longer than/],
])('a skill with %s is left out, with one warning that names the file', async (_what, content, reason) => {
  await using rig = await Rig.open()
  await rig.write('broken/SKILL.md', content)
  await rig.write('good/SKILL.md', skillText('good'))
  expect((await rig.skills.list()).map(({ id }) => id)).toEqual(['good'])
  rig.now += 10_000
  await rig.skills.list()
  expect(rig.warnings).toEqual([expect.stringMatching(reason)])
  expect(rig.warnings[0]).toContain(join(rig.directory, 'broken/SKILL.md'))
})

test('a skill that was mended, added or removed counts without a restart', async () => {
  await using rig = await Rig.open()
  await rig.write('hello/SKILL.md', 'nothing')
  expect(await rig.skills.list()).toEqual([])
  await rig.write('hello/SKILL.md', skillText('hello'))
  expect(await rig.skills.list()).toMatchObject([{ id: 'hello' }])
  await rig.write('hello/SKILL.md', skillText('hello again'))
  expect(await rig.skills.list()).toMatchObject([{ name: 'hello again' }])
})

test('links inside a configured directory are not followed', async () => {
  await using rig = await Rig.open()
  const secret = join(rig.home, 'secret')
  await mkdir(secret)
  await writeFile(join(secret, 'SKILL.md'), skillText('secret'))
  await symlink(secret, join(rig.directory, 'linked'))
  await mkdir(join(rig.directory, 'inside'))
  await symlink(join(secret, 'SKILL.md'), join(rig.directory, 'inside/SKILL.md'))
  await rig.write('good/SKILL.md', skillText('good'))
  await symlink(join(secret, 'SKILL.md'), join(rig.directory, 'good/leak.md'))
  await symlink(secret, join(rig.directory, 'good/leaks'))
  expect((await rig.skills.list()).map(({ id }) => id)).toEqual(['good'])
  expect((await rig.skills.detail('good')).files).toEqual(['SKILL.md'])
  expect(await rig.call('skill__good')).not.toContain('leak')
  expect(rig.warnings.join('\n')).toMatch(/linked is left out: links to skills are not followed/)
  expect(rig.warnings.join('\n')).toMatch(/inside\/SKILL\.md is left out: SKILL\.md is a link/)
})

test('a missing directory is a warning, not a failure', async () => {
  await using rig = await Rig.open()
  await chmod(rig.directory, 0o700)
  const skills = rig.open([join(rig.home, 'nowhere')])
  expect(await skills.skillsOf(owner('sess_1'))).toEqual([])
  expect(rig.warnings).toEqual([expect.stringMatching(/nowhere cannot be read/)])
})

test('a search finds by name before description, also in Chinese', async () => {
  await using rig = await Rig.open()
  await rig.write('weekly/SKILL.md', skillText('weekly', '', 'display_name: 周报生成\n'))
  await rig.write('sales/SKILL.md', '---\nname: sales\ndescription: Makes the weekly figures, 每周的销售报表\n---\n')
  await rig.write('other/SKILL.md', skillText('other'))
  const ids = async (query: string) => (await rig.skills.search(query, 10)).map(({ id }) => id)
  expect(await ids('weekly')).toEqual(['weekly', 'sales'])
  expect(await ids('销售报表')).toEqual(['sales'])
  expect(await ids('生成周报')).toEqual(['weekly'])
  expect(await ids('nothing like it')).toEqual([])
  expect(await rig.skills.search('good for', 1)).toHaveLength(1)
})
