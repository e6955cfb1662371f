import { expect, test } from 'vitest'
import { resolveTexts, skinTexts } from './texts.ts'

const shape = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]))
    : typeof value

test('[K17.3] the zh-CN and en catalogues have the same keys', () => {
  expect(shape(skinTexts['zh-CN'])).toEqual(shape(skinTexts.en))
})

test('[K17.3] any Chinese locale is Chinese, all others English, and the host’s own words win', () => {
  expect(resolveTexts('zh-TW').send).toBe('发送')
  expect(resolveTexts('fr').send).toBe('Send')
  expect(resolveTexts('zh', { send: 'Go' })).toMatchObject({ send: 'Go', stop: '停止回答' })
})
