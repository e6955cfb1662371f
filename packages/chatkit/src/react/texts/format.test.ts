import { expect, test } from 'vitest'
import { formatBytes, formatSeconds, formatValue } from './format.ts'

test('[K12.2] a duration has two decimals', () => expect(formatSeconds(3210, 'en')).toBe('3.21'))
test('[K14] sizes of files are in round units', () => expect(formatBytes(48_200, 'en')).toBe('48.2 kB'))

test('[K14] a value that JSON cannot hold is shown somehow', () => {
  const cyclic: Record<string, unknown> = {}
  cyclic.self = cyclic
  expect(formatValue({ a: 1 })).toBe('{\n  "a": 1\n}')
  expect(formatValue('text')).toBe('text')
  expect(formatValue(cyclic)).toBe('[object Object]')
})
