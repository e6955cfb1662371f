import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { ask, inShort, newSessionId } from '../agent-sse/sse.ts'
import { STORES, World } from '../wire/world.ts'
import { addDocument, REFUNDS } from './documents-of.ts'

test.each(STORES)(
  '[S6.2.5] an error of retrieval gives no event and no failure: the run goes on without knowledge (%s)',
  async (store) => {
    await using world = await World.open(store)
    const id = await addDocument(world, REFUNDS)
    const question = 'Is an annual plan refunded in full?'
    world.learn({ [question]: () => ({ text: 'Let me think.' }) })
    await inDatabase(world, 'ALTER TABLE passage_terms RENAME TO passage_terms_gone')

    const told = await ask(world, { message: question, sessionId: newSessionId() })
    expect(inShort(told).slice(0, 2)).toEqual(['processing_started', 'confirmation_check'])
    expect(told.at(-1)).toMatchObject({ type: 'completed' })
    await using chat = await world.chat()
    expect((await chat.run(question)).end).toMatchObject({ status: 'completed' })
    const [asked] = await chat.messages()
    expect(asked).not.toHaveProperty('sources')
    expect(world.requests(question).map(({ messages }) => messages.at(-1)!.text)).toEqual([question, question])
    expect(chat.received.filter(({ name }) => name === 'knowledge:retrieved' || name === 'error')).toEqual([])
    expect(world.warnings.join('\n')).toContain('something could not be recalled')

    await inDatabase(world, 'ALTER TABLE passage_terms_gone RENAME TO passage_terms')
    await chat.run(question)
    expect((await chat.messages()).at(-2)!.sources).toMatchObject([{ document_id: id }])
  },
)

/** Beside the server, which knows nothing of it. */
async function inDatabase({ databaseUrl, dataDir }: World, sql: string): Promise<void> {
  if (databaseUrl === undefined) {
    using database = new DatabaseSync(join(dataDir, 'parley.sqlite'), { timeout: 5_000 })
    return database.exec(sql)
  }
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
