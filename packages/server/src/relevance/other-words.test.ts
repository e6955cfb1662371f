import { expect, test } from 'vitest'
import { wordsKnownIn } from './other-words.ts'
import { queryTerms } from './query-terms.ts'
import { SAME_MEANING } from './same-meaning.ts'
import { runsOf } from './terms.ts'

test('a word of the table brings the others of its group, and a phrase the words for it', () => {
  expect(othersIn('How do I get my money back?')).toContainEqual(['refund'])
  expect(othersIn('薪水什么时候发')).toContainEqual(['工资'])
  expect(othersIn('refund')).not.toContainEqual(['refund'])
})

test('a phrase stands for nothing that is looked for in passages', () => {
  expect(othersIn('refund').flat()).not.toContain('monei')
})

test('a colloquial word is asked for as one word, however the system cuts it', () => {
  expect(queryTerms('要掏钱吗').find(({ term }) => term === '掏钱')).toMatchObject({ weight: 1 })
})

test('every word of the table is found again, and stands in its group once', () => {
  for (const group of SAME_MEANING) {
    expect(new Set(group).size).toBe(group.length)
    for (const word of group) {
      expect([word, [...word].length > 1]).toEqual([word, true])
      expect([word, othersIn(word).length > 0]).toEqual([word, true])
    }
  }
})

function othersIn(question: string) {
  return wordsKnownIn(runsOf(question)).flatMap(({ others }) => others)
}
