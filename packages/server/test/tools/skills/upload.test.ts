import { readdir, readFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Rig, skillText, owner } from './rig.ts'

const skill = { path: 'SKILL.md', content: skillText('notes') }

test('an uploaded skill is usable with the next model call, in its session only', async () => {
  await using rig = await Rig.open()
  expect(await rig.skills.skillsOf(owner('sess_1'))).toEqual([])
  const files = [skill, { path: 'references/a.md', content: 'a' }]
  expect(await rig.skills.upload(owner('sess_1'), { name: 'acme/notes', files })).toEqual({
    name: 'acme/notes',
    skill_dir: '.skills/acme/notes',
    file_count: 2,
    overwritten: false,
  })
  expect((await rig.skills.skillsOf(owner('sess_1'))).map(({ name }) => name)).toEqual(['skill__acme__notes'])
  expect(rig.skills.knownOf('sess_1').map(({ name }) => name)).toEqual(['skill__acme__notes'])
  expect(await rig.skills.skillsOf(owner('sess_2'))).toEqual([])
  expect(rig.changes).toEqual([
    { session_id: 'sess_1', skills: [expect.objectContaining({ id: 'acme/notes', source: 'session' })] },
  ])
  await rig.call('skill__acme__notes')
  expect(await readFile(join(rig.workspace, '.skills/acme/notes/references/a.md'), 'utf8')).toBe('a')
  expect((await rig.open().listOf(owner('sess_1'))).map(({ id }) => id)).toEqual(['acme/notes'])
})

test('a new version replaces the old one as a whole, also for a tool that was offered before', async () => {
  await using rig = await Rig.open()
  const files = [skill, { path: 'old.md', content: 'old' }]
  await rig.skills.upload(owner('sess_1'), { name: 'acme/notes', files })
  const [before] = await rig.skills.skillsOf(owner('sess_1'))
  const next = [{ path: 'SKILL.md', content: skillText('notes', 'Second edition.') }]
  expect(await rig.skills.upload(owner('sess_1'), { name: 'acme/notes', files: next })).toMatchObject({
    overwritten: true,
  })
  const { result } = await before!.run({}, rig.context())
  expect(result).toContain('Second edition.')
  expect(result).not.toContain('old.md')
})

test('a version that was replaced stays for a minute, for who reads it still, and goes with a later upload', async () => {
  await using rig = await Rig.open()
  const folder = join(rig.home, 'data/sess_1/acme/notes')
  const upload = () => rig.skills.upload(owner('sess_1'), { name: 'acme/notes', files: [skill] })
  const versions = async () => (await readdir(folder)).filter((name) => name !== 'current')
  await upload()
  const [first] = await versions()
  await upload()
  expect(await versions()).toContain(first)
  const longAgo = Date.now() / 1_000 - 61
  await utimes(join(folder, first!), longAgo, longAgo)
  await upload()
  expect(await versions()).toHaveLength(2)
  expect(await versions()).not.toContain(first)
})

test('an upload of a session goes before a configured skill of the same name', async () => {
  await using rig = await Rig.open()
  await rig.write('acme/notes/SKILL.md', skillText('configured'))
  await rig.skills.upload(owner('sess_1'), { name: 'acme/notes', files: [skill] })
  expect((await rig.skills.listOf(owner('sess_1'))).map(({ name }) => name)).toEqual(['notes'])
  expect((await rig.skills.listOf(owner('sess_2'))).map(({ name }) => name)).toEqual(['configured'])
})

test('simultaneous uploads leave one of them, whole', async () => {
  await using rig = await Rig.open()
  const versions = Array.from({ length: 8 }, (_, index) => `version ${index}`)
  await Promise.all(
    versions.map((text) =>
      rig.skills.upload(owner('sess_1'), {
        name: 'acme/notes',
        files: [
          { path: 'SKILL.md', content: skillText('notes', text) },
          { path: 'data.txt', content: text },
        ],
      }),
    ),
  )
  const result = await rig.call('skill__acme__notes')
  const kept = versions.find((text) => result.includes(text))!
  expect(await readFile(join(rig.workspace, '.skills/acme/notes/data.txt'), 'utf8')).toBe(kept)
})

test('the skills of a session go with it', async () => {
  await using rig = await Rig.open()
  await rig.skills.upload(owner('sess_1'), { name: 'acme/notes', files: [skill] })
  await rig.skills.removeOf('sess_1')
  expect(await rig.skills.listOf(owner('sess_1'))).toEqual([])
  expect(await readdir(join(rig.home, 'data'))).toEqual([])
})

test.each([
  ['../evil'],
  ['a/../../evil'],
  ['..'],
  ['.'],
  ['./a'],
  ['a//b'],
  ['a/'],
  ['/etc/passwd'],
  ['//host/share'],
  ['C:/windows'],
  ['c:evil'],
  ['..\\evil'],
  ['a\\b'],
  ['a\0b'],
  ['a\nb'],
  ['a\u007fb'],
  [''],
  ['a/b/c/d/e/f/g/h/i'],
  ['x'.repeat(201)],
])('the path %j is refused and nothing is written', async (path) => {
  await using rig = await Rig.open()
  const upload = { name: 'acme/notes', files: [skill, { path, content: 'evil' }] }
  await expect(rig.skills.upload(owner('sess_1'), upload)).rejects.toMatchObject({ code: 'invalid_path' })
  expect(await readdir(rig.home)).not.toContain('data')
  expect(rig.changes).toEqual([])
})

test.each([
  ['the same path twice', [skill, skill], 'invalid_path'],
  ['a path that differs by case only', [skill, { path: 'skill.md', content: '' }], 'invalid_path'],
  ['a file that is a folder too', [skill, file('a'), file('a/b')], 'invalid_path'],
  ['no SKILL.md', [file('README.md')], 'invalid_payload'],
  ['a SKILL.md that is none', [{ path: 'SKILL.md', content: 'text' }], 'invalid_payload'],
  ['a large file', [skill, file('a', 1024 * 1024 + 1)], 'payload_too_large'],
  ['large files', [skill, ...Array.from({ length: 6 }, (_, i) => file(`f${i}`, 1024 * 1024))], 'payload_too_large'],
])('an upload with %s is refused', async (_what, files, code) => {
  await using rig = await Rig.open()
  await expect(rig.skills.upload(owner('sess_1'), { name: 'acme/notes', files })).rejects.toMatchObject({ code })
  expect(await rig.skills.listOf(owner('sess_1'))).toEqual([])
})

test.each([['../sess_2'], ['a/b'], [''], ['.'], ['sess\0']])('the session %j has no place on disk', async (id) => {
  await using rig = await Rig.open()
  await expect(rig.skills.upload(owner(id), { name: 'acme/notes', files: [skill] })).rejects.toMatchObject({
    code: 'session_not_found',
  })
})

function file(path: string, size = 1) {
  return { path, content: 'x'.repeat(size) }
}
