import { expect, test } from 'vitest'
import { kindOf } from './document-kind.ts'

test.each([
  ['a.md', undefined, 'markdown'],
  ['a.MARKDOWN', '', 'markdown'],
  ['a.md', 'application/octet-stream', 'markdown'],
  ['a.md', 'text/plain; charset=utf-8', 'markdown'],
  ['a.html', 'text/plain', 'text'],
  ['说明.txt', undefined, 'text'],
  ['a.csv', 'text/csv', 'text'],
  ['a', 'text/html; charset=gbk', 'html'],
  ['dir.md/a.htm', undefined, 'html'],
  ['a', 'Application/PDF', 'pdf'],
  ['a.pdf', undefined, 'pdf'],
  ['a.md', 'image/png', undefined],
  ['a.png', undefined, undefined],
  ['a.constructor', undefined, undefined],
  ['a', 'constructor', undefined],
  ['dir.md/a', undefined, undefined],
])('%s of type %s is %s', (name, type, kind) => {
  expect(kindOf({ name, ...(type !== undefined && { type }) })).toBe(kind)
})
