import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chatSendSchema } from '../packages/protocol/src/commands.ts'
import { optionsSchema } from '../packages/server/src/config/options.ts'

/** The names in the first column of a README's tables. */
async function namedIn(name: string): Promise<string[]> {
  const text = await readFile(join(import.meta.dirname, '../packages', name, 'README.md'), 'utf8')
  const rows = text.slice(text.indexOf('\n## Options')).match(/^\|[^|]*\|/gm)!
  return rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, option]) => option!))
}

test('the README of the server has a row for every option, and for nothing else', async () => {
  expect((await namedIn('server')).toSorted()).toEqual(Object.keys(optionsSchema.shape).toSorted())
})

test('the README of the client has a row for everything that goes along with a message', async () => {
  // What the call itself says, and two fields that exist only for clients of another server.
  const besides = ['session_id', 'message', 'askuser_answer', 'whatif', 'replay_decision']
  const fields = Object.keys(chatSendSchema.shape).filter((field) => !besides.includes(field))
  expect(await namedIn('client')).toEqual(expect.arrayContaining(fields))
})
