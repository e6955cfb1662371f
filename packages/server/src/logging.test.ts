import { expect, test } from 'vitest'
import { createLogger } from './logging.ts'

test('secrets never reach the log, wherever in a line they stand', async () => {
  const lines: string[] = []
  const logger = await createLogger({ logLevel: 'info' }, false, { write: (line) => void lines.push(line) })
  logger.info(
    { token: 'hunter2', config: { databaseUrl: 'hunter2', deep: { apiKey: 'hunter2' } }, session_id: 's1' },
    'hello',
  )
  logger.debug('below the level')
  expect(lines).toHaveLength(1)
  expect(lines[0]).not.toContain('hunter2')
  expect(JSON.parse(lines[0]!)).toMatchObject({ msg: 'hello', token: '***', session_id: 's1' })
})
