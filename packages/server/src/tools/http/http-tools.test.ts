import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSeal } from '../../auth/seal.ts'
import type { Engine } from '../../store/engine.ts'
import { openSqlite } from '../../store/sqlite/engine.ts'
import type { ToolDefinition } from '../define-tool.ts'
import { type KeyedTool, withDefaults } from './config.ts'
import { HttpTools } from './http-tools.ts'
import { addTool, dropTool } from './tool-rows.ts'

test('[W12.11.1] of two looks at once the later one counts, though the other ends last', async () => {
  await using engine = await openSqlite({ directory: ':memory:', now: Date.now })
  const seal = createSeal(Buffer.alloc(32), randomBytes)
  const stored = withDefaults({
    ...{ name: 'one', description: 'One.', url: 'http://a.test/' },
    schema: { type: 'object' },
  })
  const row = { name: 'one', definition: seal.seal(JSON.stringify(stored)), secret: seal.seal('a secret of its own') }
  await engine.write(() => addTool(row, 'owner'))

  // A store whose first answer is slow to arrive.
  const arrives = Promise.withResolvers<void>()
  let reads = 0
  const slow = {
    ...engine,
    async read(work: Parameters<Engine['read']>[0]) {
      const isFirst = reads++ === 0
      const found = await engine.read(work)
      if (isFirst) await arrives.promise
      return found
    },
  } as Engine
  const define = ({ name }: KeyedTool) => ({ name }) as ToolDefinition
  const tools = new HttpTools({ engine: slow, seal, configured: [], define, onWarning: () => undefined })
  const first = tools.refresh()
  await engine.write(() => dropTool('one', 'owner'))
  await tools.refresh()
  expect(tools.stored).toEqual([])
  arrives.resolve()
  await first
  expect(tools.stored).toEqual([])
})
