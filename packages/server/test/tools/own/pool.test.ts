import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { postgresPlace } from '../../store/place.ts'
import { openTools } from './rig.ts'

test.each([
  [true, 'that keeps nobody alive serves the next call too, over the same connection'],
  [false, 'that keeps its process alive goes with it after the call'],
])('[W12.10] with allowExitOnIdle: %s, a pool of connections %s', async (allowExitOnIdle) => {
  await using place = await postgresPlace()
  const head = `import pg from ${JSON.stringify(createRequire(import.meta.url).resolve('pg'))}
const pool = new pg.Pool(${JSON.stringify({ connectionString: place.at, allowExitOnIdle })})`
  const run = "async () => (await pool.query('select pg_backend_pid() as pid')).rows[0].pid"
  await using tools = await openTools({ asks: run }, { head })
  const first = await tools.call('asks')
  expect(first).toEqual({ result: expect.any(Number) })
  const second = await tools.call('asks')
  expect(second).toEqual({ result: expect.any(Number) })
  expect(second.result === first.result).toBe(allowExitOnIdle)
})
