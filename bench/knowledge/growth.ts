import { runSql } from '../../packages/server/src/store/work.ts'
import type { Database } from '../journal/databases.ts'
import { longestStep } from './longest-step.ts'
import { madeUpDocument } from './made-up-documents.ts'
import { ACCOUNT, openKnowledge } from './open-knowledge.ts'

/** What a base of so many documents costs. */
export type Growth = {
  database: string
  documents: number
  importedPerSecond: number
  p50: number
  p95: number
  p99: number
  /** Of this process, for one question, in milliseconds. */
  cpu: number
  /** The same questions' first words as a plain search through all texts. */
  plainP50: number
  /** Of the questions: those whose document came first. */
  foundFirst: number
  megabytes: number
}

const STEPS = [100, 1_000, 10_000]
const QUESTIONS = 200
const PLAIN_QUESTIONS = 20

/** Adds documents up to each of the sizes, and asks about some of them there. */
export async function* measureGrowth(database: Database, most: number): AsyncGenerator<Growth> {
  const { engine, name } = database
  await using opened = openKnowledge(engine)
  const ids: string[] = []
  for (const documents of STEPS.filter((step) => step <= most)) {
    const began = performance.now()
    const before = ids.length
    while (ids.length < documents) {
      const { category, title, content } = madeUpDocument(ids.length)
      ids.push((await opened.knowledge.add(ACCOUNT, { category, title, content })).id)
      if (ids.length % 500 === 0) console.error(`${name}: ${ids.length} documents`)
    }
    const importedPerSecond = ((documents - before) * 1_000) / (performance.now() - began)
    const asked = Array.from({ length: QUESTIONS }, (_, n) => Math.floor((n * documents) / QUESTIONS))
    const { times, found, cpu } = await timed(asked, async (number) => {
      const [first] = await opened.find(madeUpDocument(number).question, { documents: 3, passagesEach: 2 })
      return first?.document.id === ids[number]
    })
    const plain = await timed(asked.slice(0, PLAIN_QUESTIONS), (number) => plainSearch(database, number))
    yield {
      ...{ database: name, documents, importedPerSecond, cpu },
      ...{ p50: percentile(times, 0.5), p95: percentile(times, 0.95), p99: percentile(times, 0.99) },
      ...{
        plainP50: percentile(plain.times, 0.5),
        foundFirst: found / QUESTIONS,
        megabytes: (await sizeOf(database)) / 1_048_576,
      },
    }
  }
}

/** How long the longest step of putting in, and taking out, a document of a megabyte keeps everybody else waiting. */
export async function measureLongDocument(database: Database): Promise<{ step: number; seconds: number }> {
  await using opened = openKnowledge(database.engine)
  let content = ''
  for (let number = 0; content.length < 1_000_000; number++) content += `${madeUpDocument(number).content}\n`
  const began = performance.now()
  const step = await longestStep(async () => {
    const { id } = await opened.knowledge.add(ACCOUNT, { category: 'long', title: 'Long', content })
    await opened.knowledge.delete(ACCOUNT, id)
  })
  return { step, seconds: (performance.now() - began) / 1_000 }
}

async function timed(numbers: readonly number[], ask: (number: number) => Promise<boolean>) {
  const times: number[] = []
  let found = 0
  const before = process.threadCpuUsage()
  for (const number of numbers) {
    const began = performance.now()
    if (await ask(number)) found++
    times.push(performance.now() - began)
  }
  const { user, system } = process.threadCpuUsage(before)
  return { times, found, cpu: (user + system) / 1_000 / numbers.length }
}

async function plainSearch({ engine }: Database, number: number): Promise<boolean> {
  const words = madeUpDocument(number).content.slice(3, 9)
  const rows = await engine.read(() =>
    runSql('SELECT id FROM knowledge_documents WHERE content LIKE ? LIMIT 1000', [`%${words}%`]),
  )
  return rows.length > 0
}

async function sizeOf({ engine, name }: Database): Promise<number> {
  const sql =
    name === 'sqlite'
      ? 'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()'
      : 'SELECT CAST(pg_database_size(current_database()) AS INTEGER) AS bytes'
  const [row] = await engine.select<{ bytes: number }>(sql, [])
  return row!.bytes
}

function percentile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!
}
