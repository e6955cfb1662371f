import { describe, expect, test } from 'vitest'
import { findPassages, MIN_SCORE } from '../../src/relevance/find-passages.ts'
import { addPassages, dropPassages, type NewPassage, replacePassages } from '../../src/relevance/passage-index.ts'
import type { Engine } from '../../src/store/engine.ts'
import { runSql } from '../../src/store/work.ts'
import { places } from '../store/place.ts'

const LEAVE: NewPassage[] = [
  passage('员工手册 › 年休假', '入职满一年的员工每年有五天年假，满十年的有十天。年假须提前三个工作日申请。'),
  passage('员工手册 › 病假', '连续病假超过两天的，须交医院的诊断证明。病假期间发八成工资。'),
]
const BILLING: NewPassage[] = [
  passage('Billing › Refunds for annual plans', 'An annual plan is refunded in full within 30 days of the payment.'),
  passage('Billing › Refunds for monthly plans', 'Monthly plans are not refunded, but can be cancelled at any time.'),
]

describe.each(places)('%s', (_name, make) => {
  test('[S15.3] a question finds the passage it is about, in Chinese and English, the best one first', async () => {
    await using place = await make()
    await using engine = await place.open()
    await fill(engine)
    expect(await asked(engine, '请问年假一共几天？')).toEqual(['leave 0'])
    expect(await asked(engine, '病假要交诊断证明吗')).toEqual(['leave 1'])
    expect((await asked(engine, 'Can I get a refund for my annual plan?'))[0]).toBe('billing 0')
    expect((await asked(engine, 'refunding monthly plans'))[0]).toBe('billing 1')
  })

  test('[S15.3] everyday words for the same thing find a passage, in its language and across both', async () => {
    await using place = await make()
    await using engine = await place.open()
    await fill(engine)
    expect(await asked(engine, '生病了薪水照发吗')).toEqual(['leave 1'])
    expect((await asked(engine, 'Do I get my money back for the annual subscription?'))[0]).toBe('billing 0')
    expect(await asked(engine, 'Does my salary go on while I am sick?')).toEqual(['leave 1'])
    expect((await asked(engine, '套餐怎么退钱'))[0]).toMatch('billing')
  })

  test('[S15.3] the words of a question count more than others for them', async () => {
    await using place = await make()
    await using engine = await place.open()
    const texts = ['A refund takes a week.', 'Reimbursement takes a week.']
    const passages = texts.map((text, position) => ({ position, head: '', text }))
    await engine.write(() => addPassages(engine, { space: 'here', ref: 'own', passages }))
    expect(await asked(engine, 'reimbursement')).toEqual(['own 1', 'own 0'])
  })

  test('[S15.3] a question that no passage is about finds nothing', async () => {
    await using place = await make()
    await using engine = await place.open()
    await fill(engine)
    const questions = [
      '今天晚上吃什么好呢',
      '帮我写一首关于秋天的诗',
      'How do I sort a list in Python?',
      'thank you!',
      '的',
      '?',
    ]
    for (const question of questions) expect([question, await asked(engine, question)]).toEqual([question, []])
  })

  test('a search sees its own spaces alone, and refs that count now', async () => {
    await using place = await make()
    await using engine = await place.open()
    await fill(engine)
    await engine.write(() => replacePassages(engine, { space: 'other', ref: 'secret', passages: LEAVE }))
    expect(await asked(engine, '年假几天', ['other'])).toEqual(['secret 0'])
    expect((await asked(engine, '年假几天', ['here', 'other'])).sort()).toEqual(['leave 0', 'secret 0'])
    expect(await asked(engine, '年假几天', [])).toEqual([])
    const only = function* (refs: readonly string[]) {
      yield* runSql('SELECT 1 AS n', [])
      return new Set(refs.filter((ref) => ref !== 'leave'))
    }
    expect(await findPassages(engine, { ...SEARCH, spaces: ['here'], query: '年假几天', only })).toEqual([])
  })

  test('what was replaced or dropped is found no more, and the counts are those of what is there', async () => {
    await using place = await make()
    await using engine = await place.open()
    await fill(engine)
    const before = await counts(engine)
    const passages = [passage('x', '出差住宿标准：一线城市每晚六百元。')]
    await engine.write(() => replacePassages(engine, { space: 'here', ref: 'leave', passages }))
    expect(await asked(engine, '年假几天')).toEqual([])
    expect(await asked(engine, '出差住宿标准是多少')).toEqual(['leave 0'])
    await engine.write(() => replacePassages(engine, { space: 'here', ref: 'leave', passages: LEAVE }))
    expect(await counts(engine)).toEqual(before)
    for (const ref of ['leave', 'billing'])
      expect(await engine.write(() => dropPassages(engine, { space: 'here', ref, limit: 50 }))).toBe(2)
    expect(await counts(engine)).toEqual([])
  })

  test('terms of any script, and words that mean something to a database, are only looked for', async () => {
    await using place = await make()
    await using engine = await place.open()
    const texts = ['การคืนเงินภายในสามสิบวัน', `NOT "quoted" OR near(*) 'x' & | ! <->`, 'किताब वापस करना', '😀 emoji ½ ﬁne']
    const passages = texts.map((text, position) => ({ position, head: '', text }))
    await engine.write(() => addPassages(engine, { space: 'here', ref: 'odd', passages }))
    for (const [position, query] of texts.entries())
      expect([query, (await asked(engine, query))[0]]).toEqual([query, `odd ${position}`])
  })
})

const SEARCH = { limit: 5, minScore: MIN_SCORE }

async function fill(engine: Engine): Promise<void> {
  await engine.write(function* () {
    yield* addPassages(engine, { space: 'here', ref: 'leave', passages: LEAVE })
    yield* addPassages(engine, { space: 'here', ref: 'billing', passages: BILLING })
  })
}

async function asked(engine: Engine, query: string, spaces = ['here']): Promise<string[]> {
  const found = await findPassages(engine, { ...SEARCH, spaces, query })
  return found.map(({ ref, position }) => `${ref} ${position}`)
}

function counts(engine: Engine) {
  return engine.select<object>('SELECT term, passages FROM passage_terms ORDER BY term, passages', [])
}

function passage(head: string, text: string): NewPassage {
  const position = /病假|monthly/.test(head) ? 1 : 0
  return { position, head, text }
}
