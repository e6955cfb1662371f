import { chmod, open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { JsonObject } from '../../../src/ports.ts'
import { ChangeLimit } from '../../../src/workspace/change-limit.ts'
import { type Told, use, workspaceWith } from './use.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAADklEQVR4nGP4z8AARAAI/AL+mYXxlwAAAABJRU5ErkJggg==',
  'base64',
)
const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0001108001400280301220002110103110100ffd9', 'hex')
const WEBP = Buffer.concat([
  Buffer.from('RIFF\x1a\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0', 'latin1'),
  Buffer.from([31, 0, 0, 15, 0, 0]),
])

describe('Read', () => {
  test('shows lines with their numbers, and a part of them by offset and limit', async () => {
    await using workspace = await workspaceWith({ 'a.txt': 'one\ntwo\r\nthree\n' })
    const read = (range: { offset?: number; limit?: number }) =>
      use(workspace.path, 'Read', { file_path: 'a.txt', ...range })
    expect(await read({})).toBe('1\tone\n2\ttwo\n3\tthree')
    expect(await read({ offset: 3 })).toBe('3\tthree')
    expect(await read({ offset: 2, limit: 1 })).toBe(
      '2\ttwo\n… (lines 2–2 are shown and there are more; go on with offset 3)',
    )
    await expect(read({ offset: 4 })).rejects.toThrow('a.txt has 3 lines; line 4 is beyond its end.')
  })

  test('walks through a file of any length by following its own notes', async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1} ${'字'.repeat(40)}`)
    await using workspace = await workspaceWith({ 'long.txt': lines.join('\n') })
    const seen: string[] = []
    for (let offset = 1; ;) {
      const page = (await use(workspace.path, 'Read', { file_path: 'long.txt', offset })) as string
      seen.push(
        ...page
          .split('\n')
          .filter((line) => !line.startsWith('…'))
          .map((line) => line.split('\t')[1]!),
      )
      const next = /go on with offset (\d+)/.exec(page)
      if (!next) break
      offset = Number(next[1])
    }
    expect(seen).toEqual(lines)
  })

  test('cuts a line that is too long and stays within its bounds on a huge file', async () => {
    await using workspace = await workspaceWith({ 'wide.txt': `${'x'.repeat(1_000_000)}\nend\n` })
    const wide = (await use(workspace.path, 'Read', { file_path: 'wide.txt' })) as string
    expect(wide).toContain('(cut: this line has 1000000 bytes)')
    expect(wide).toMatch(/\n2\tend$/)
    expect(wide.length).toBeLessThan(10_000)
  })

  test('a file of 20 GiB costs no more than what is asked of it', async () => {
    await using workspace = await workspaceWith({ 'huge.txt': 'line\n'.repeat(20_000) })
    await using huge = await open(join(workspace.path, 'huge.txt'), 'r+')
    await huge.truncate(20 * 1024 ** 3)
    const read = (offset: number) => use(workspace.path, 'Read', { file_path: 'huge.txt', offset, limit: 1 })
    expect(await read(19_999)).toContain('go on with offset 20000')
    await expect(read(1_000_000)).rejects.toThrow('Line 1000000 of huge.txt is too far in')
  })

  test.each([
    ['picture.png', PNG, 'image/png, 3 × 2 pixels'],
    ['picture.gif', Buffer.from('GIF89a\x05\0\x07\0', 'latin1'), 'image/gif, 5 × 7 pixels'],
    ['photo.jpg', JPEG, 'image/jpeg, 40 × 20 pixels'],
    ['photo.webp', WEBP, 'image/webp, 32 × 16 pixels'],
    ['cut.png', PNG.subarray(0, 12), 'image/png, 12 bytes'],
  ])('describes the image %s', async (name, bytes, told) => {
    await using workspace = await workspaceWith({ [name]: bytes })
    const answer = await use(workspace.path, 'Read', { file_path: name })
    expect(answer).toContain(told)
    expect(answer).toContain('attaches it to a message')
  })

  test.each([
    ['report.pdf', Buffer.from('%PDF-1.7\n…'), 'a PDF document'],
    ['data.zip', Buffer.from('PK\x03\x04rest'), 'a ZIP archive'],
    ['blob.bin', Buffer.from([1, 2, 0, 3]), 'a binary file (4 bytes)'],
    ['wide.txt', Buffer.from('\ufefftext', 'utf16le'), 'UTF-16 text'],
  ])('refuses the binary file %s and says what it is', async (name, bytes, told) => {
    await using workspace = await workspaceWith({ [name]: bytes })
    await expect(use(workspace.path, 'Read', { file_path: name })).rejects.toThrow(told)
  })

  test('tells an empty file, a missing one, a directory and an unknown encoding apart', async () => {
    await using workspace = await workspaceWith({
      'empty.txt': '',
      'd/x': '',
      'gbk.txt': Buffer.from([0xc4, 0xe3, 0x0a]),
    })
    const read = (file_path: string) => use(workspace.path, 'Read', { file_path })
    expect(await read('empty.txt')).toBe('(empty.txt is empty)')
    expect(await read('gbk.txt')).toContain('not UTF-8, perhaps GBK')
    await expect(read('none.txt')).rejects.toThrow('none.txt does not exist.')
    await expect(read('none/none.txt')).rejects.toThrow('does not exist')
    await expect(read('d')).rejects.toThrow('d is a directory')
    await expect(read('empty.txt/x')).rejects.toThrow('a part of it is a file')
  })
})

describe('Write', () => {
  test('makes directories, keeps the mode, leaves nothing else behind and tells what changed', async () => {
    await using workspace = await workspaceWith({ 'run.sh': '#!/bin/sh\n' })
    await chmod(join(workspace.path, 'run.sh'), 0o750)
    const told: Told[] = []
    await use({ workspace: workspace.path, told }, 'Write', { file_path: './run.sh', content: '#!/bin/bash\n' })
    await use({ workspace: workspace.path, told }, 'Write', { file_path: '新/文件.txt', content: '你好' })
    expect((await stat(join(workspace.path, 'run.sh'))).mode & 0o777).toBe(0o750)
    expect(await readFile(join(workspace.path, '新/文件.txt'), 'utf8')).toBe('你好')
    expect(await readdir(workspace.path, { recursive: true })).toEqual(['run.sh', '新', '新/文件.txt'])
    expect(told).toEqual([
      { event: 'workspace:files_changed', payload: { file_path: 'run.sh' } },
      { event: 'workspace:files_changed', payload: { file_path: '新/文件.txt' } },
    ])
  })

  test('[W6.7] a burst of writes is told by ten names and one "many"', async () => {
    await using workspace = await workspaceWith()
    const told: (string | null)[] = []
    using limit = new ChangeLimit({ now: () => performance.now(), many: () => told.push(null) })
    const tell = (payload: JsonObject) => limit.report('sess_1', () => told.push(payload['file_path'] as string))
    const calls = Array.from({ length: 25 }, (_, n) => `f${n}.txt`).map(async (file_path) => {
      const heard: Told[] = []
      await use({ workspace: workspace.path, told: heard }, 'Write', { file_path, content: '' })
      for (const { payload } of heard) tell(payload)
    })
    await Promise.all(calls)
    expect(told).toHaveLength(10)
    await vi.waitFor(() => expect(told.slice(10)).toEqual([null]), 45_000)
    expect(await readdir(workspace.path)).toHaveLength(25)
  })

  test('leaves the old content and tells nothing when it is stopped', async () => {
    await using workspace = await workspaceWith({ 'a.txt': 'old' })
    const told: Told[] = []
    const stopped = use({ workspace: workspace.path, signal: AbortSignal.abort(), told }, 'Write', {
      file_path: 'a.txt',
      content: 'new',
    })
    await expect(stopped).rejects.toThrow()
    expect(await readdir(workspace.path)).toEqual(['a.txt'])
    expect(await readFile(join(workspace.path, 'a.txt'), 'utf8')).toBe('old')
    expect(told).toEqual([])
  })
})

describe('Edit', () => {
  const edit = async (before: string | Buffer, input: Record<string, unknown>) => {
    await using workspace = await workspaceWith({ 'a.txt': before })
    const said = await use(workspace.path, 'Edit', { file_path: 'a.txt', ...input } as never).catch(
      (error: Error) => error.message,
    )
    return { said, after: await readFile(join(workspace.path, 'a.txt'), 'utf8') }
  }

  test('replaces the one exact match, dollar signs and all', async () => {
    expect(await edit('a b c\n', { old_string: 'b', new_string: '$& $1 $$' })).toEqual({
      said: 'Replaced 1 match in a.txt.',
      after: 'a $& $1 $$ c\n',
    })
  })

  test('changes nothing when the text is there more than once, and says how often and where', async () => {
    const { said, after } = await edit('x\ny\nx\n\nx', { old_string: 'x', new_string: 'z' })
    expect(said).toContain('found 3 times in a.txt (lines 1, 3, 5)')
    expect(said).toContain('replace_all')
    expect(after).toBe('x\ny\nx\n\nx')
    expect(await edit('x\ny\nx', { old_string: 'x', new_string: 'z', replace_all: true })).toEqual({
      said: 'Replaced 2 matches in a.txt.',
      after: 'z\ny\nz',
    })
  })

  test('says when the text is not there, and that only the white space differs', async () => {
    expect((await edit('one two', { old_string: 'three', new_string: '' })).said).toContain('found 0 times in a.txt')
    expect((await edit('if (a) {\n\treturn 1\n}', { old_string: '{\n  return 1', new_string: '' })).said).toContain(
      'Line 1 has it with other white space',
    )
    expect((await edit('one', { old_string: 'one', new_string: 'one' })).said).toContain('are the same')
  })

  test('applies several edits in order, or none of them', async () => {
    const edits = [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'bb', new_string: 'c', replace_all: true },
    ]
    expect((await edit('ab ', { edits })).after).toBe('c ')
    const { said, after } = await edit('ab ', { edits: [...edits, { old_string: 'gone', new_string: '' }] })
    expect(said).toContain('edits[2].old_string was found 0 times')
    expect(after).toBe('ab ')
  })

  test.each([
    ['\\r\\n', { before: 'one\r\ntwo\r\nthree', old_string: 'one\ntwo', new_string: '1\n2' }, '1\r\n2\r\nthree'],
    ['no last line end', { before: 'one\ntwo', old_string: 'two', new_string: '2' }, 'one\n2'],
    [
      'mixed line ends',
      { before: 'one\ntwo\r\nthree\r\n', old_string: 'two\nthree', new_string: '2\n3' },
      'one\n2\r\n3\r\n',
    ],
    ['a byte order mark', { before: '\uFEFFone\n', old_string: 'one', new_string: '1' }, '\uFEFF1\n'],
  ])('keeps %s', async (_what, { before, ...input }, after) => {
    expect((await edit(before, input)).after).toBe(after)
  })

  test.each([
    [{}],
    [{ old_string: 'a' }],
    [{ old_string: '', new_string: 'x' }],
    [{ edits: [] }],
    [{ old_string: 'a', new_string: 'b', edits: [{ old_string: 'a', new_string: 'b' }] }],
  ])('refuses the arguments %j', async (input) => {
    expect(await edit('abc', input)).toEqual({ said: expect.stringContaining('do not fit'), after: 'abc' })
  })

  test('keeps the mode, and refuses what is not UTF-8 rather than damage it', async () => {
    await using workspace = await workspaceWith({ 'run.sh': 'echo 1\n', 'gbk.txt': Buffer.from([0xc4, 0xe3, 0x61]) })
    await chmod(join(workspace.path, 'run.sh'), 0o755)
    const told: Told[] = []
    await use({ workspace: workspace.path, told }, 'Edit', { file_path: 'run.sh', old_string: '1', new_string: '2' })
    expect((await stat(join(workspace.path, 'run.sh'))).mode & 0o777).toBe(0o755)
    expect(told).toEqual([{ event: 'workspace:files_changed', payload: { file_path: 'run.sh' } }])
    const bad = use(workspace.path, 'Edit', { file_path: 'gbk.txt', old_string: 'a', new_string: 'b' })
    await expect(bad).rejects.toThrow('not UTF-8')
  })
})
