import { expect, test } from 'vitest'
import { safeToolName, TOOL_NAME } from './safe-tool-name.ts'

test('plain names stay readable', () => {
  expect(safeToolName('mcp', 'files', 'read_text-file')).toBe('mcp__files__read_text-file')
})

test.each([
  ['spaces', ['mcp', 'my files', 'read']],
  ['Chinese', ['mcp', '文件', '读取']],
  ['slashes and dots', ['mcp', 'a.b', 'c/d']],
  ['a long name', ['mcp', 's'.repeat(64), 't'.repeat(128)]],
  ['nothing', ['mcp', 'a', '']],
])('a name with %s becomes one that models accept, always the same', (_what, parts) => {
  expect(safeToolName(...parts)).toMatch(TOOL_NAME)
  expect(safeToolName(...parts)).toBe(safeToolName(...parts))
})

test.each([
  [
    ['mcp', 'a__b', 'c'],
    ['mcp', 'a', 'b__c'],
  ],
  [
    ['mcp', 'a_', 'b'],
    ['mcp', 'a', '_b'],
  ],
  [
    ['mcp', 'a', 'b c'],
    ['mcp', 'a', 'b.c'],
  ],
  [
    ['mcp', 'a', `${'x'.repeat(100)}1`],
    ['mcp', 'a', `${'x'.repeat(100)}2`],
  ],
])('%j and %j do not share a name', (one, other) => {
  expect(safeToolName(...one)).not.toBe(safeToolName(...other))
})
