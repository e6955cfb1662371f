import { describe, expect, test } from 'vitest'
import type { Engine } from '../../src/store/engine.ts'
import { dropDocuments, findParents, indexDocument } from '../../src/store/search-index.ts'
import { queryTokens, searchTokens } from '../../src/store/search-text.ts'
import { places } from './place.ts'

const documents: Record<string, string> = {
  a: '会话在崩溃之后自动恢复',
  b: '大学生使用数据库',
  c: '定时任务 runs every Monday',
  d: 'The server recovered after a CRASH; Parley 2.0 继续运行',
  e: 'naïve Ünïcode, ＦＵＬＬ width and 한국어 テスト',
}

const findings: [query: string, found: string[]][] = [
  ['会话', ['a']],
  ['恢复', ['a']],
  ['大学', ['b']],
  ['大学生', ['b']],
  ['学生', ['b']],
  ['数据库', ['b']],
  ['定时任务', ['c']],
  ['学', ['b']],
  ['库', ['b']],
  ['行', ['d']],
  ['crash', ['d']],
  ['Crash', ['d']],
  ['cra', ['d']],
  ['server cra', ['d']],
  ['cra server', []],
  ['monday 定时', ['c']],
  ['定时 MONDAY', ['c']],
  ['parley 继续', ['d']],
  ['恢复 crash', []],
  ['full', ['e']],
  ['ünïcode', ['e']],
  ['한국', ['e']],
  ['テスト', ['e']],
  ['nothing like it', []],
  ['大生', []],
]

const harmless = [
  '',
  '   ',
  '"',
  `"a" OR b*`,
  'crash" OR "',
  `'; DROP TABLE events; --`,
  'NOT crash',
  'NEAR(crash, 2)',
  'a:b & !c | (d',
  '\\',
  '%_',
  'tokens:crash',
  '🙂',
  '\0crash',
]

describe.each(places)('search on %s', (_name, makePlace) => {
  test('finds words of two characters, words inside words, mixed text, any case, single characters and beginnings', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    await indexAll(engine)
    const found = await Promise.all(findings.map(async ([query]) => [query, await search(engine, query)]))
    expect(found).toEqual(findings)
  })

  test('quotes and operators in a query are harmless', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    await indexAll(engine)
    const outcomes = await Promise.allSettled(harmless.map((query) => search(engine, query)))
    expect(outcomes.map(({ status }, index) => [harmless[index], status])).toEqual(
      harmless.map((query) => [query, 'fulfilled']),
    )
    expect(await search(engine, '')).toEqual([])
    expect(await search(engine, '"crash"')).toEqual(['d'])
    expect(await search(engine, 'crash OR 会话')).toEqual([])
  })

  test('a document is replaced by a later one and gone when its parent is', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    await indexAll(engine)
    await engine.write(() =>
      indexDocument(engine, { user_id: 'user_1', kind: 'session', parent_id: 'a', ref: '1', text: '新的内容' }),
    )
    expect(await search(engine, '会话')).toEqual([])
    expect(await search(engine, '内容')).toEqual(['a'])
    await engine.write(() => dropDocuments(engine, 'session', 'a'))
    expect(await search(engine, '内容')).toEqual([])
    expect(await search(engine, '大学')).toEqual(['b'])
  })

  test('of a text too long for an index the beginning is found', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const words = Array.from({ length: 300_000 }, (_, index) => `w${index.toString(36)}`).join(' ')
    const text = `needle ${words}`
    await engine.write(() =>
      indexDocument(engine, { user_id: 'user_1', kind: 'session', parent_id: 'p', ref: '1', text }),
    )
    const han = Array.from({ length: 200_000 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)))
    const chinese = { user_id: 'user_1', kind: 'session', parent_id: 'q', ref: '1', text: han.join('') }
    await engine.write(() => indexDocument(engine, chinese))
    expect(await search(engine, 'needle')).toEqual(['p'])
  })

  test('[D7] only finds what belongs to the user who asks, of the kind that was asked for, each parent once', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const document = { user_id: 'user_1', kind: 'session', parent_id: 'p', ref: '1', text: 'needle' }
    await engine.write(() => indexDocument(engine, document))
    await engine.write(() => indexDocument(engine, { ...document, ref: '2', text: 'needle needle' }))
    await engine.write(() => indexDocument(engine, { ...document, user_id: 'user_2', parent_id: 'q' }))
    await engine.write(() => indexDocument(engine, { ...document, kind: 'memory', parent_id: 'r' }))
    expect(await search(engine, 'needle')).toEqual(['p'])
  })
})

test('tokens: words as they are, Chinese in pairs, the last character also alone', () => {
  expect(searchTokens('大学生')).toEqual(['大学', '学生', '生'])
  expect(searchTokens('Parley 2.0：恢复X')).toEqual(['parley', '2', '0', '恢复', '复', 'x'])
  expect(searchTokens('𠮷野家')).toEqual(['𠮷野', '野家', '家'])
  expect(searchTokens(' …，! ')).toEqual([])
  expect(queryTokens('大学 cr')).toEqual([
    { token: '大学', isPrefix: false },
    { token: 'cr', isPrefix: true },
  ])
  expect(queryTokens('学')).toEqual([{ token: '学', isPrefix: true }])
})

async function indexAll(engine: Engine): Promise<void> {
  for (const [parent_id, text] of Object.entries(documents))
    await engine.write(() => indexDocument(engine, { user_id: 'user_1', kind: 'session', parent_id, ref: '1', text }))
}

function search(engine: Engine, query: string): Promise<string[]> {
  return engine.read(() => findParents(engine, { user_id: 'user_1', kind: 'session', query, limit: 10 }))
}
