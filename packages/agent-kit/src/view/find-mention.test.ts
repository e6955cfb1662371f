import type { SkillSummary } from '@parley/protocol'
import { expect, test } from 'vitest'
import { findMention, insertMention, matchingSkills } from './find-mention.ts'

const skill = (name: string, display_name = name): SkillSummary => ({
  ...{ id: name, name, display_name, description: '', source: 'global', version: null },
})

test.each([
  ['/', 1, { sign: '/', start: 0, end: 1, query: '' }],
  ['/Wea', 4, { sign: '/', start: 0, end: 4, query: 'wea' }],
  ['ask @acme/ti', 12, { sign: '@', start: 4, end: 12, query: 'acme/ti' }],
  ['ask @天', 6, { sign: '@', start: 4, end: 6, query: '天' }],
  ['and/or', 6, null],
  ['a /b', 4, null],
  ['me@example', 10, null],
  ['/weather now', 12, null],
])('[W14.6] "%s" with the caret at %i mentions %j', (text, caret, expected) => {
  expect(findMention(text, caret)).toEqual(expected)
})

test('[W14.6] skills that begin with the query come first, by name or title', () => {
  const skills = [skill('big-tide'), skill('tides'), skill('moon', 'Tide moon'), skill('sun')]
  expect(matchingSkills(skills, 'tide').map(({ name }) => name)).toEqual(['tides', 'moon', 'big-tide'])
})

test('[W14.6] the mention is written out, and what follows stays', () => {
  const mention = findMention('ask @ti please', 7)!
  expect(insertMention('ask @ti please', mention, skill('tides'))).toBe('ask @tides please')
})
