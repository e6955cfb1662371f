import { expect, test } from 'vitest'
import { refusalLog } from './refusal-log.ts'

test('[W12.12.2] a refusal that has no name to tell carries none', () => {
  const lines: unknown[][] = []
  const tell = refusalLog({
    logger: { warn: (...line: unknown[]) => void lines.push(line) },
    language: 'en',
    now: () => 0,
  })
  tell({ what: 'jwt.signature', name: '' })
  tell({ what: 'jwt.claim', name: 'aud' })
  expect(lines).toEqual([
    [{}, 'A token of your product was refused: its signature is wrong.'],
    [{ jwt: 'aud' }, expect.stringContaining('aud is missing')],
  ])
})
