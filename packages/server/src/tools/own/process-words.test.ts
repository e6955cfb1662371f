import { boundResult } from '@parley/tools'
import { expect, test } from 'vitest'
import { ANSWER_CHARACTERS, readWord, WORD_BYTES } from './process-words.ts'

const done = (result: unknown) => JSON.stringify({ type: 'done', status: 'done', result, isSpent: false, job: 'a' })
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

test('[W12.10] what is bounded where it is made is a word, however awkward; what is not bounded is none', () => {
  const page = { ui: { resourceHTML: '\u0000'.repeat(166_000) } }
  const awkward = done(boundResult({ rows: '\u0001'.repeat(500_000), _meta: page }))
  expect(readWord(awkward)?.word).toMatchObject({ type: 'done', result: { _meta: page } })
  expect(readWord(done('x'.repeat(ANSWER_CHARACTERS)))).toEqual({ job: 'a', word: undefined })
  // Its bytes, where every character takes three.
  const wide = done(boundResult({ rows: '字'.repeat(200_000), _meta: { html: '字'.repeat(999_000) } }))
  expect(readWord(wide)?.word).toMatchObject({ type: 'done' })
  expect(Buffer.byteLength(wide)).toBeLessThan(WORD_BYTES)
})

test.each([
  ['', undefined],
  ['nonsense', undefined],
  ['null', undefined],
  ['[]', undefined],
  ['{}', { job: undefined, word: undefined }],
  ['{"type":"done","status":"done","isSpent":false,"job":"a"}', { job: 'a', word: undefined }],
  ['{"type":"progress","message":{"a":1},"current":{},"job":"a"}', { job: 'a', word: undefined }],
  [`{"type":"progress","message":"${'x'.repeat(1_001)}","job":"a"}`, { job: 'a', word: undefined }],
  ['{"type":"listed","tools":[{"name":5}],"problems":[],"job":"a"}', { job: 'a', word: undefined }],
  ['{"type":"abort","job":"a"}', { job: 'a', word: undefined }],
  ['{"type":"begun","job":{}}', { job: {}, word: { type: 'begun' } }],
  [`{"type":"done","status":"done","result":${deep(200)},"isSpent":false,"job":"a"}`, undefined],
])('[W12.10] %.60s is read as what it is', (line, read) => {
  expect(readWord(line)).toEqual(read)
})
