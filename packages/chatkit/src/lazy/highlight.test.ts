import { expect, test } from 'vitest'
import { highlight } from './highlight.ts'

test('[K16.3] lines and text stay what they were', () => {
  const code = 'def f():\n\n    return "a"  # b\n'
  const lines = highlight(code, 'python')!
  expect(`${lines.map((line) => line.map(({ text }) => text).join('')).join('\n')}\n`).toBe(code)
  expect(lines[2]).toContainEqual({ text: '# b', kind: 'comment' })
})

test('[K16.3] a piece inside another has its own kind, and neighbours of one kind are one piece', () => {
  // oxlint-disable-next-line no-template-curly-in-string
  const [line] = highlight('const a = `b ${1} c`', 'ts')!
  expect(line).toEqual([
    { text: 'const', kind: 'keyword' },
    { text: ' a = ' },
    { text: '`b ${', kind: 'string' },
    { text: '1', kind: 'number' },
    { text: '} c`', kind: 'string' },
  ])
})

test.each([
  'py',
  'JS',
  'ts',
  'tsx',
  'yml',
  'sh',
  'zsh',
  'console',
  'html',
  'md',
  'golang',
  'rs',
  'c++',
  'jsonc',
  'patch',
  'toml',
])('[K14] %s is another name of a language that is known', (name) => expect(highlight('x', name)).toBeDefined())

test.each(['klingon', '', 'constructor', '__proto__'])('[K16.3] "%s" is not known', (name) =>
  expect(highlight('x', name)).toBeUndefined(),
)
