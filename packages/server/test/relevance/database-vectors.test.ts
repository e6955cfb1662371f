import { startPgvector } from '@parley/testkit'
import fc from 'fast-check'
import type { KnowledgeResult } from '@parley/protocol/rest'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { nearMemories } from '../../src/memory/near-memories.ts'
import { copyVectors, offerCopies } from '../../src/relevance/database-vectors.ts'
import type { Embedder } from '../../src/relevance/embedder.ts'
import { findPassages, type Search } from '../../src/relevance/find-passages.ts'
import { addPassages, dropPassages } from '../../src/relevance/passage-index.ts'
import type { Engine } from '../../src/store/engine.ts'
import { openPostgres } from '../../src/store/postgres/engine.ts'
import { runSql } from '../../src/store/work.ts'
import { addDocument } from '../knowledge/documents-of.ts'
import { startEmbeddings } from '../knowledge/embeddings-endpoint.ts'
import { barePostgresPlace } from '../store/place.ts'
import { World } from '../wire/world.ts'

let server: Awaited<ReturnType<typeof startPgvector>>
let engine: Engine

beforeAll(async () => {
  server = await startPgvector()
  engine = await openPostgres({ url: server.url, leaseMs: 60_000 })
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await empty()
  await change('DROP EXTENSION IF EXISTS vector CASCADE')
})

describe('PostgreSQL that has the extension vector', () => {
  test('[S15.3] finds what is found by comparing one by one: the same passages, in the same order, with the same scores', async () => {
    await fc.assert(
      fc.asyncProperty(libraries, fc.array(searches, { minLength: 4, maxLength: 8 }), async (library, asked) => {
        await empty()
        await store(library)
        await copyAll()
        const answers = (how: How) => Promise.all(asked.map((each) => seenAs(how, (seen) => answerTo(seen, each))))
        const itself = await answers('by the database')
        await change('DROP TABLE passage_embeddings')
        expect(itself).toEqual(await answers('one by one'))
      }),
      { numRuns: 10 },
    )
  })

  test('finds the memories that are found by comparing one by one', async () => {
    await fc.assert(
      fc.asyncProperty(libraries, fc.integer(), async (library, seed) => {
        await empty()
        await store(library)
        await copyAll()
        const embedder = embedderOf(randomVector(numbersFrom(seed)))
        const near = (how: How) => seenAs(how, (seen) => nearMemories({ engine: seen, embedder }, 'a', 'a text'))
        const itself = await near('by the database')
        await change('DROP TABLE passage_embeddings')
        const oneByOne = await near('one by one')
        expect(itself.map(({ ref }) => ref)).toEqual(oneByOne.map(({ ref }) => ref))
        for (const [place, { score }] of itself.entries()) expect(score).toBeCloseTo(oneByOne[place]!.score, 5)
      }),
      { numRuns: 4 },
    )
  })

  test('[S15.3] a vector that came without its copy, or took the place of another, is found like the rest', async () => {
    await store([passageWith('old', [1, 0])])
    await copyAll()
    await store([passageWith('new', [0, 1])])
    const found = (how: How, vector: number[], model = MODEL) =>
      seenAs(how, async (seen) => {
        const embedder = embedderOf(Float32Array.from(vector), model)
        const search = { spaces: ['a'], query: '?', limit: 1, minScore: 0.3 }
        const memories = await nearMemories({ engine: seen, embedder }, 'a', '?')
        const passages = await findPassages(seen, search, embedder)
        expect(memories.map(({ ref }) => ref)).toEqual(passages.map(({ ref }) => ref))
        return passages[0]?.ref
      })
    expect(await found('one by one', [0, 1])).toBe('new')
    await copyAll()
    expect(await found('by the database', [0, 1])).toBe('new')
    // As a server of before does it, which knows no copies: the vector, and whose it is.
    await change(`UPDATE passage_vectors SET model = 'next', vector = '\\x0000803f00000000' WHERE passage_id =
      (SELECT id FROM passages WHERE ref = 'new')`)
    expect(await found('by the database', [0, 1])).toBe(undefined)
    expect(await found('one by one', [1, 0], 'next')).toBe('new')
    await copyAll('next')
    expect(await found('by the database', [1, 0], 'next')).toBe('new')
    expect(await found('by the database', [1, 0])).toBe('old')
  })

  test('a copy goes with its passage', async () => {
    await store([passageWith('one', [1, 0]), passageWith('two', [0, 1])])
    await copyAll()
    await engine.write(() => dropPassages(engine, { space: 'a', ref: 'one', limit: 9 }))
    expect(await engine.select('SELECT count(*) AS n FROM passage_embeddings', [])).toEqual([{ n: 1 }])
  })

  test('[S15.3] serves a whole server, with copies that it makes by itself, and without them when the extension goes', async () => {
    await using endpoint = await startEmbeddings()
    const embeddings = { embeddingsUrl: endpoint.url, embeddingsModel: 'words-1' }
    await using world = await World.open('sqlite', { databaseUrl: server.url, ...embeddings })
    const bread = await addDocument(world, 'Fresh loaves every morning from six.')
    await addDocument(world, 'Vehicles are parked behind the house.')
    const search = async (query: string) =>
      (await world.rest<{ results: KnowledgeResult[] }>('POST', '/api/knowledge/search', { body: { query } })).body
        .results
    const copies = `SELECT to_regclass('passage_embeddings') IS NOT NULL AS are_there`
    await expect.poll(() => engine.select(copies, [])).toEqual([{ are_there: true }])
    await expect.poll(() => engine.select('SELECT count(*) AS n FROM passage_embeddings', [])).toEqual([{ n: 2 }])
    expect(await search('面包店什么时候开门')).toMatchObject([{ document: { id: bread } }])
    expect(await search('Who invented the telescope?')).toEqual([])
    await change('DROP EXTENSION vector CASCADE')
    expect(await search('面包店什么时候开门')).toMatchObject([{ document: { id: bread } }])
    expect(world.errors).toEqual([])
  })
})

describe('PostgreSQL that', () => {
  test('has no such extension is left as it is', async () => {
    await using place = await barePostgresPlace()
    await using plain = await place.open()
    expect(await offerCopies(plain)).toBe(false)
    expect(await plain.select(`SELECT to_regclass('passage_embeddings') AS made`, [])).toEqual([{ made: null }])
  })

  test('refuses the extension is left as it is, and in order', async () => {
    await change('CREATE TYPE vector AS (x real)')
    expect(await offerCopies(engine)).toBe(false)
    expect(await engine.trouble()).toBe(null)
    await change('DROP TYPE vector')
    expect(await offerCopies(engine)).toBe(true)
  })
})

const MODEL = 'ours'
const OTHER_MODEL = 'theirs'
const WORDS = ['refund', 'holiday', 'invoice', 'parking', '年假', '报销']

type Numbers = () => number
type Stored = { space: string; ref: string; text: string; model: string; vector: Float32Array | undefined }

/** Many, so that more are near than are looked at; some without a vector, or with one that cannot be compared, or with the same. */
const libraries = fc.record({ seed: fc.integer(), size: fc.integer({ min: 0, max: 260 }) }).map(({ seed, size }) => {
  const random = numbersFrom(seed)
  const library: Stored[] = []
  for (let n = 0; n < size; n++) {
    const kind = random()
    const vector = kind < 0.2 && n > 0 ? library[n - 1]!.vector : randomVector(random, kind > 0.95 ? 4 : 8)
    library.push({
      space: pick(['a', 'a', 'a', 'b', 'c'], random),
      ref: `ref-${n}`,
      text: `${pick(WORDS, random)} ${pick(WORDS, random)} ${n}`,
      model: kind > 0.9 && kind < 0.95 ? OTHER_MODEL : MODEL,
      vector: kind > 0.8 && kind < 0.85 ? undefined : vector,
    })
  }
  return library
})

const searches = fc.record({
  seed: fc.integer(),
  spaces: fc.constantFrom(['a'], ['b', 'a'], ['a', 'b', 'c'], ['nobody']),
  query: fc.constantFrom(...WORDS, 'refund for a holiday', 'something else'),
  limit: fc.integer({ min: 1, max: 100 }),
  minScore: fc.constantFrom(0, 0.3),
  method: fc.constantFrom('hybrid' as const, 'semantic' as const),
})

function numbersFrom(seed: number): Numbers {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >>> 0) / 2 ** 32
  }
}

function pick<T>(all: readonly T[], random: Numbers): T {
  return all[Math.floor(random() * all.length)]!
}

function randomVector(random: Numbers, length = 8): Float32Array {
  const numbers = Array.from({ length }, () => random() - 0.4)
  return Float32Array.from(numbers, (number) => number / Math.hypot(...numbers))
}

function passageWith(ref: string, numbers: number[]): Stored {
  return { space: 'a', ref, text: ref, model: MODEL, vector: Float32Array.from(numbers) }
}

function embedderOf(vector: Float32Array, model = MODEL): Embedder {
  return { model, embed: async () => [vector] }
}

function answerTo(seen: Engine, { seed, ...search }: Search & { seed: number }) {
  return findPassages(seen, search, embedderOf(randomVector(numbersFrom(seed))))
}

type How = 'by the database' | 'one by one'

/** How vectors are compared is seen in what the database is asked. */
async function seenAs<T>(how: How, search: (seen: Engine) => Promise<T>): Promise<T> {
  const statements: string[] = []
  const select: Engine['select'] = (sql, parameters) => {
    statements.push(sql)
    return engine.select(sql, parameters)
  }
  const read: Engine['read'] = (work) => engine.read(work)
  const found = await search({ kind: engine.kind, timers: engine.timers, read, select } as Engine)
  expect(statements.some((sql) => sql.includes('passage_id > ?')) ? 'one by one' : 'by the database').toBe(how)
  return found
}

async function store(library: readonly Stored[]): Promise<void> {
  const rows = library.map(({ ref, model, vector }) => ({ ref, model, bytes: vector && hexOf(vector) }))
  await engine.write(function* () {
    for (const [space, passages = []] of Object.entries(Object.groupBy(library, (each) => each.space))) {
      const texts = passages.map(({ ref, text }) => ({ position: 0, head: ref, text }))
      yield* addPassages(engine, { space, ref: '', passages: texts })
    }
    // All of a space at once, because that is quicker; each belongs to a ref of its own.
    yield* runSql(`UPDATE passages SET ref = head WHERE ref = ''`, [])
    yield* runSql(
      `INSERT INTO passage_vectors (passage_id, space, model, vector)
        SELECT p.id, p.space, r.model, decode(r.bytes, 'hex')
        FROM json_to_recordset(?::json) AS r(ref text, model text, bytes text) JOIN passages p USING (ref)
        WHERE r.bytes IS NOT NULL`,
      [JSON.stringify(rows)],
    )
  })
}

function hexOf({ buffer }: Float32Array): string {
  return Buffer.from(buffer).toString('hex')
}

async function copyAll(model = MODEL): Promise<void> {
  expect(await offerCopies(engine)).toBe(true)
  for (let last: number | undefined = 0; last !== undefined;) last = await copyVectors(engine, model, last)
}

async function empty(): Promise<void> {
  for (const table of ['passage_vectors', 'passages', 'passage_terms']) await change(`DELETE FROM ${table}`)
}

async function change(sql: string): Promise<void> {
  await engine.write(() => runSql(sql, []))
}
