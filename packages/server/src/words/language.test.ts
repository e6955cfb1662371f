import { expect, test } from 'vitest'
import { acceptedLanguage, languageOfTag } from './language.ts'

test.each([
  ['zh-CN,zh;q=0.9,en;q=0.8', 'zh'],
  ['en-US,en;q=0.5', 'en'],
  ['fr, zh-Hans;q=0.7, en;q=0.3', 'zh'],
  ['en;q=0.3, zh;q=0.7', 'zh'],
  ['EN', 'en'],
  ['en;q=0, zh;q=0.1', 'zh'],
  ['*', undefined],
  ['*, en;q=0.5', undefined],
  ['fr, *;q=0.5', undefined],
  ['fr-FR', undefined],
  ['', undefined],
  ['en;q=nonsense', undefined],
  [undefined, undefined],
])('Accept-Language: %s asks for %s', (header, language) => {
  expect(acceptedLanguage(header)).toBe(language)
})

test('a tag counts by its first part', () => {
  expect(['zh-CN', 'zh_TW.UTF-8', 'en-GB', 'fr', 'zhx', ''].map(languageOfTag)).toEqual([
    'zh',
    'zh',
    'en',
    undefined,
    undefined,
    undefined,
  ])
})
