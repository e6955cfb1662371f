import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import type { KnowledgeDocument, KnowledgeResult } from '@parley/protocol/rest'
import type { FakeChoice, FakeRequest, NodeProcess } from '@parley/testkit'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { type Arena, freePort, KEY, openArena, watch } from './arena.ts'

const SHORT = 'The ferry to Ostrava leaves at noon.'
/** Some hundred passages. */
const LONG = `${'Filler about nothing in particular, to make it long. '.repeat(6_000)}\n\nThe ferry to Gdansk leaves at dusk.`
const QUESTION = 'When does the ferry to Ostrava leave?'

describe.each(['sqlite', 'postgres'] as const)('on %s', (kind) => {
  test(
    '[S15.4] killed in the middle of writing a document, it is as it was; what was begun goes',
    { timeout: 120_000 },
    async () => {
      await using arena = await openArena(kind, answering([]))
      const victim = await start(arena, PATIENT)
      const { id } = await add(victim.url, SHORT)
      const change = ask(victim.url, ['PATCH', `/${id}`], { content: LONG }).catch(() => undefined)
      await expect.poll(() => passagesOfUnnamed(arena), { timeout: 30_000, interval: 2 }).toBeGreaterThan(0)
      victim.server.signal('SIGKILL')
      await victim.server.exited
      await change
      const [left] = await look<{ n: number }>(arena, 'SELECT CAST(count(*) AS INTEGER) AS n FROM knowledge_versions')
      expect(left!.n, 'killed before the document named the new version').toBe(2)
      // An hour passes.
      await look(arena, 'UPDATE knowledge_versions SET at = at - 3600001')

      const { url } = await start(arena, PATIENT)
      expect((await read(url, id)).content).toBe(SHORT)
      expect(await found(url, QUESTION)).toEqual([id])
      expect(await found(url, 'ferry to Gdansk at dusk')).toEqual([])
      await expect.poll(() => passagesOfUnnamed(arena), { timeout: 30_000 }).toBe(0)
      const changed = await ask<KnowledgeDocument>(url, ['PATCH', `/${id}`], { content: LONG })
      expect(changed.status).toBe(200)
      expect(await found(url, 'ferry to Gdansk at dusk')).toEqual([id])
      expect(await found(url, 'Ostrava at noon')).toEqual([])
      await expectOnlyNamed(arena, changed.body.passages)
    },
  )

  test(
    '[S15.1] killed before the model answered, whoever carries the run on gives it the same passages, and they are cited',
    { timeout: 120_000 },
    async () => {
      const requests: FakeRequest[] = []
      await using arena = await openArena(kind, answering(requests))
      const victim = await start(arena)
      const port = await freePort()
      const survivor = kind === 'postgres' ? await start(arena, { port }) : undefined
      const { id } = await add(victim.url, SHORT)
      const session_id = await arena.newSession(victim.url)
      arena.order(victim.port, { kill: 'before:C2b' })
      using sender = watch(() => victim.url, session_id)
      const sent = sender.send({ message: QUESTION, client_message_id: 'm1' }).catch(() => undefined)
      expect(await victim.server.exited).toBe('SIGKILL')
      sender[Symbol.dispose]()
      // Nobody looks again: this one is newer, and says the same.
      if (survivor) await add(survivor.url, SHORT)
      const { url } = survivor ?? (await start(arena, { port }))
      using witness = watch(() => url, session_id)
      await witness.until(({ status }) => status === 'completed')
      await sent
      const texts = requests
        .filter(({ question }) => question === QUESTION)
        .map(({ messages }) => messages.at(-1)!.text)
      expect(texts.length).toBeGreaterThan(1)
      expect(texts[0]).toContain(`<passage number="1"`)
      expect(texts[0]).toContain(SHORT)
      expect(new Set(texts).size).toBe(1)
      const [asked, answer] = await witness.messages()
      expect(asked!.sources).toMatchObject([{ ref: 1, document_id: id }])
      expect(answer!.citations).toEqual(asked!.sources)
    },
  )
})

test(
  '[S15.5] what one instance adds another finds; two that change a document at once leave one version, whole',
  { timeout: 120_000 },
  async () => {
    await using arena = await openArena('postgres', answering([]))
    const [{ url: here }, { url: there }] = [await start(arena, PATIENT), await start(arena, PATIENT)]
    const { id } = await add(here, SHORT)
    expect(await found(there, QUESTION)).toEqual([id])
    for (const round of [1, 2, 3]) {
      // The first has more to write, and so it often ends last.
      const texts = [`${'Harbour dues and pilots. '.repeat(400)} Round ${round}.`, `Lighthouse keepers ${round}.`]
      const replies = await Promise.all(
        [here, there].map((url, at) => ask<KnowledgeDocument>(url, ['PATCH', `/${id}`], { content: texts[at] })),
      )
      expect(replies.map(({ status }) => status)).toEqual([200, 200])
      const document = await read(here, id)
      expect(texts).toContain(document.content)
      expect(await read(there, id)).toEqual(document)
      const isHere = document.content === texts[0]
      expect(await found(there, 'harbour dues and pilots')).toEqual(isHere ? [id] : [])
      expect(await found(here, 'lighthouse keepers')).toEqual(isHere ? [] : [id])
      await expectOnlyNamed(arena, document.passages)
    }
    const [gone] = await Promise.all([
      ask(here, ['DELETE', `/${id}`]),
      ask(there, ['PATCH', `/${id}`], { content: 'Moorings. '.repeat(2_000) }),
    ])
    expect(gone.status).toBe(204)
    expect(await found(there, 'moorings')).toEqual([])
    await expectOnlyNamed(arena, 0)
  },
)

/** Cites what it was given, if it was given something. */
function answering(requests: FakeRequest[]): FakeChoice {
  return (request) => {
    requests.push(request)
    return { text: 'At noon [1].' }
  }
}

/** Passages, and counts of them, are those of the one version that counts. */
async function expectOnlyNamed(arena: Arena, passages: number): Promise<void> {
  const sql = (what: string, of: string) => `SELECT CAST(${what} AS INTEGER) AS n FROM ${of}`
  const numbers = await Promise.all(
    [
      sql('count(*)', 'passages'),
      sql('count(*)', 'passages WHERE ref IN (SELECT ref FROM knowledge_documents)'),
      sql('coalesce(sum(passages), 0)', `passage_terms WHERE term = ''`),
      sql('count(*)', 'knowledge_versions'),
    ].map(async (one) => (await look<{ n: number }>(arena, one))[0]!.n),
  )
  expect(numbers).toEqual([passages, passages, passages, passages === 0 ? 0 : 1])
}

async function passagesOfUnnamed(arena: Arena): Promise<number> {
  const sql =
    'SELECT CAST(count(*) AS INTEGER) AS n FROM passages WHERE ref NOT IN (SELECT ref FROM knowledge_documents)'
  return (await look<{ n: number }>(arena, sql))[0]!.n
}

/** In the database, beside whoever runs on it. */
async function look<R>(arena: Arena, sql: string): Promise<R[]> {
  if (arena.kind === 'sqlite') {
    const database = new DatabaseSync(join(arena.directory, 'parley.sqlite'), { timeout: 5_000 })
    try {
      return database.prepare(sql).all() as R[]
    } finally {
      database.close()
    }
  }
  const client = new pg.Client(arena.databaseUrl)
  await client.connect()
  try {
    return (await client.query(sql)).rows as R[]
  } finally {
    await client.end()
  }
}

type Instance = { server: NodeProcess; url: string; port: number }

/** Nobody takes anything over: statements may take as long as they do on a busy machine. */
const PATIENT = { env: { PARLEY_LEASE_MS: '10000' } }

async function start(arena: Arena, given: { port?: number; env?: Record<string, string> } = {}): Promise<Instance> {
  const { port = await freePort(), env = {} } = given
  const server = await arena.start({ port, env, options: { suggestions: false } })
  return { server, port, url: `http://127.0.0.1:${port}` }
}

async function add(url: string, content: string): Promise<KnowledgeDocument> {
  const { status, body } = await ask<KnowledgeDocument>(url, ['POST', ''], { category: 'ships', content })
  expect(status).toBe(201)
  return body
}

async function read(url: string, id: string): Promise<KnowledgeDocument> {
  return (await ask<KnowledgeDocument>(url, ['GET', `/${id}`])).body
}

/** Ids of the documents. */
async function found(url: string, query: string): Promise<string[]> {
  const { body } = await ask<{ results: KnowledgeResult[] }>(url, ['POST', '/search'], { query })
  return body.results.map(({ document }) => document.id)
}

type Reply<T> = { status: number; body: T }

async function ask<T>(url: string, [method, path]: readonly [string, string], body?: object): Promise<Reply<T>> {
  const reply = await fetch(`${url}/api/knowledge${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  return { status: reply.status, body: (text === '' ? null : JSON.parse(text)) as T }
}
