import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../../packages/server/src/store/engine.ts'
import { ACCOUNT, openKnowledge } from './open-knowledge.ts'

export type SetName = 'development' | 'held-out'

/** How well questions of one kind and language found what they are about. */
export type Quality = {
  kind: string
  language: string
  questions: number
  /** Of the questions that some passage answers; `undefined` where none does. */
  recall1: number | undefined
  recall5: number | undefined
  mrr: number | undefined
  /** Of all: those that found anything. */
  retrieved: number
}

type Listed = { file: string; category: string; title: string }
type Question = { question: string; language: string; kind: string; file: string | null; section: string | null }
type Asked = Question & { rank: number | undefined; isFound: boolean }

const KINDS = ['direct', 'paraphrase', 'near_miss', 'unrelated', 'across']
const RANKS = 5

/** Puts the set's documents into the database and asks all of its questions. */
export async function evaluate(engine: Engine, set: SetName): Promise<Quality[]> {
  const from = join(import.meta.dirname, set)
  await using opened = openKnowledge(engine)
  const files = new Map<string, string>()
  for (const { file, category, title } of await read<Listed[]>(from, 'documents.json')) {
    const content = await readFile(join(from, file), 'utf8')
    files.set((await opened.knowledge.add(ACCOUNT, { category, title, content })).id, file)
  }
  const asked: Asked[] = []
  for (const question of await read<Question[]>(from, 'questions.json')) {
    const found = await opened.find(question.question, { documents: RANKS, passagesEach: RANKS })
    const isIt = ({ document, headings }: (typeof found)[number]) =>
      files.get(document.id) === question.file && headings.includes(question.section ?? '')
    const place = found.slice(0, RANKS).findIndex(isIt)
    asked.push({ ...question, rank: place < 0 ? undefined : place + 1, isFound: found.length > 0 })
  }
  return KINDS.flatMap((kind) => ['zh', 'en'].map((language) => qualityOf(asked, kind, language)))
}

function qualityOf(asked: readonly Asked[], kind: string, language: string): Quality {
  const these = asked.filter((question) => question.kind === kind && question.language === language)
  const answered = these.filter(({ file }) => file !== null)
  const mean = (value: (question: Asked) => number) =>
    answered.length === 0 ? undefined : answered.reduce((sum, question) => sum + value(question), 0) / answered.length
  return {
    ...{ kind, language, questions: these.length },
    recall1: mean(({ rank }) => (rank === 1 ? 1 : 0)),
    recall5: mean(({ rank }) => (rank === undefined ? 0 : 1)),
    mrr: mean(({ rank }) => (rank === undefined ? 0 : 1 / rank)),
    retrieved: these.filter(({ isFound }) => isFound).length / these.length,
  }
}

async function read<T>(from: string, file: string): Promise<T> {
  return JSON.parse(await readFile(join(from, file), 'utf8')) as T
}
