import { loginQuerySchema as zodSchema } from '@parley/protocol/schemas'
import { expect, expectTypeOf, test } from 'vitest'
import type { ParleyClient, HeadlessOptions } from '../src/index.ts'
import { setUp } from './fast-client.ts'

type Country = { name: string; area?: number }

/** Compiled, never called. */
export async function typesOfResults({ headless }: ParleyClient, options: HeadlessOptions): Promise<void> {
  expectTypeOf(await headless.run('x')).toEqualTypeOf<string>()
  expectTypeOf(await headless.run('x', { model: 'm' })).toEqualTypeOf<string>()
  expectTypeOf(await headless.run('x', options)).toEqualTypeOf<unknown>()

  expectTypeOf(await headless.run('x', { schema: zodSchema })).toEqualTypeOf<{ code: string; next: string }>()
  expectTypeOf(await headless.runInSession('s', 'x', { schema: zodSchema })).toEqualTypeOf<{
    code: string
    next: string
  }>()

  const { result } = await headless.runWithSession('x', {
    session: { intent: 'y' },
    schema: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        tags: { type: 'array', items: { enum: ['big', 'small'] } },
        area: { type: ['number', 'null'] },
        capital: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      },
      required: ['name', 'tags'],
    },
  })
  expectTypeOf(result).toEqualTypeOf<{
    name: string
    tags: ('big' | 'small')[]
    area?: number | null
    capital?: { name: string }
  }>()

  const opaque: Record<string, unknown> = { type: 'object' }
  expectTypeOf(await headless.run('x', { schema: opaque })).toEqualTypeOf<unknown>()
  expectTypeOf(await headless.run<Country>('x', { schema: opaque })).toEqualTypeOf<Country>()
  expectTypeOf(await headless.runInSession<Country>('s', 'x', { schema: opaque })).toEqualTypeOf<Country>()
}

test('[W14.1] a zod schema goes out as JSON Schema, and the result comes back as it reads it', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  let output: object = { code: 'abc' }
  server.scripts['default'] = async (session, { output_schema }) => {
    await session.start()
    await session.end({ result: { output, schema: output_schema } })
  }
  expect(await client.headless.run('which?', { schema: zodSchema })).toEqual({ code: 'abc', next: '/' })
  expect(server.commands.find(({ name }) => name === 'chat:send')?.payload).toMatchObject({
    output_schema: { type: 'object', properties: { code: { type: 'string' } } },
  })
  output = { code: 7 }
  await expect(client.headless.run('which?', { schema: zodSchema })).rejects.toMatchObject({
    name: 'HeadlessError',
    code: 'output_schema_unsatisfied',
    message: expect.stringContaining('expected string'),
  })
})
