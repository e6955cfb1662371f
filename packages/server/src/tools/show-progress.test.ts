import { expect, test } from 'vitest'
import { showProgress } from './show-progress.ts'

test('reports are at least a quarter of a second apart, except for the last one, which comes once', () => {
  let now = 0
  const shown: unknown[] = []
  const report = showProgress(
    'Copying',
    (_event, { detail }) => shown.push(detail),
    () => now,
  )
  for (; now < 1000; now += 10) report({ progress: now, total: 990, message: 'files' })
  report({ progress: 990, total: 990 })
  expect(shown).toEqual([
    '0 / 990 · files',
    '250 / 990 · files',
    '500 / 990 · files',
    '750 / 990 · files',
    '990 / 990 · files',
  ])
})

test('progress without a total is a bare count, and a long message is cut', () => {
  const shown: string[] = []
  const report = showProgress(
    'Copying',
    (_event, { detail }) => shown.push(detail as string),
    () => 0,
  )
  report({ progress: 7, message: 'x'.repeat(1000) })
  expect(shown[0]).toMatch(/^7 · x+$/)
  expect(shown[0]).toHaveLength(500)
})
