import { expect, test } from 'vitest'
import { skinTexts } from '../texts/texts.ts'
import { formatAge } from './format-age.ts'

const now = new Date(2026, 2, 10, 15, 0).getTime()
const age = (date: Date, locale: 'en' | 'zh-CN' = 'en') =>
  formatAge(date.getTime(), now, { locale, texts: skinTexts[locale] })

test.each([
  ['today', new Date(2026, 2, 10, 9, 5), '09:05'],
  ['yesterday', new Date(2026, 2, 9, 23, 59), 'yesterday'],
  ['six days', new Date(2026, 2, 4, 1, 0), '6 days ago'],
  ['this year', new Date(2026, 0, 5), '01-05'],
  ['before', new Date(2025, 11, 31), '2025-12-31'],
])('[K13] a history row of %s', (_, date, expected) => expect(age(date)).toBe(expected))

test('[K13] ages are localised, and seconds are read like milliseconds', () => {
  expect(age(new Date(2026, 2, 7), 'zh-CN')).toBe('3 天前')
  const seconds = Math.floor(new Date(2026, 2, 7).getTime() / 1000)
  expect(formatAge(seconds, now, { locale: 'en', texts: skinTexts.en })).toBe('3 days ago')
})
