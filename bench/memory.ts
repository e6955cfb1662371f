/**
 * What does a message bring back of 136 memories of one user, in Chinese and English? For each kind of question: recall@5,
 * how often something comes back that was not asked for, how often something that had been replaced does. The questions in
 * `questions-apart.jsonl` were looked at by nobody while the search was made (`--apart` shows what became of each of them).
 *
 *   npx node bench/memory.ts [--apart] [--each]
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findMemories } from '../packages/server/src/memory/find-memories.ts'
import { RECALLED, recallNeeds } from '../packages/server/src/memory/recall.ts'
import { remember } from '../packages/server/src/memory/remember.ts'
import type { Engine } from '../packages/server/src/store/engine.ts'
import { openSqlite } from '../packages/server/src/store/sqlite/engine.ts'

type Line = { id: string; content: string; superseded_by?: string }
type Question = { kind: string; language: string; question: string; expects: string[] }
type Asked = Question & { found: { id: string; score: number }[] }

const LABELS = { type: 'feedback', skill_name: null, record_type: null, scope: null, owner: null } as const
const OTHERS = { topic: null, mem0_id: null, write_reason: null, source_session: '' }
const user_id = 'user_1'
const linesOf = <T>(name: string): T[] =>
  readFileSync(join(import.meta.dirname, 'memory', name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T)

const isShown = process.argv.includes('--each')
const file = process.argv.includes('--apart') ? 'questions-apart.jsonl' : 'questions.jsonl'
await using engine = await openSqlite({ directory: ':memory:', now: Date.now })
const memories = linesOf<Line>('memories.jsonl')
const names = await fill(engine)
const asked: Asked[] = []
const startedAt = performance.now()
for (const question of linesOf<Question>(file)) {
  const search = {
    user_id,
    query: question.question,
    limit: RECALLED,
    ...recallNeeds(question.question),
    ...(isShown && { minScore: 0.05 }),
  }
  const found = await findMemories({ engine }, search)
  asked.push({ ...question, found: found.map(({ id, score }) => ({ id: names.get(id)!, score })) })
}
const perQuestion = (performance.now() - startedAt) / asked.length

if (isShown) asked.forEach(show)
else print()

async function fill(engine: Engine): Promise<Map<number, string>> {
  const ids = new Map<string, number>()
  const now = new Date(0).toISOString()
  for (const { id, content } of memories) {
    const replaces = memories.flatMap((one) => (one.superseded_by === id ? [ids.get(one.id)!] : []))
    const said = { ...LABELS, ...OTHERS, content, replaces, now }
    const { memory } = await engine.write(() => remember(engine, user_id, said))
    ids.set(id, memory.id)
  }
  return new Map([...ids].map(([name, id]) => [id, name]))
}

function show({ kind, question, expects, found }: Asked): void {
  const mark = (id: string) => (expects.includes(id) ? '*' : '')
  const list = found.map(({ id, score }) => `${mark(id)}${id} ${score.toFixed(2)}`).join('  ')
  console.log(`${kind.padEnd(11)} ${question}\n            ${list}`)
}

function print(): void {
  const replaced = new Set(memories.flatMap(({ id, superseded_by }) => (superseded_by ? [id] : [])))
  console.log(`${file}: ${asked.length} questions over ${memories.length} memories, ${perQuestion.toFixed(1)} ms each`)
  console.log('kind        language  questions  recall@5  false recall  replaced')
  for (const kind of ['direct', 'paraphrase', 'unrelated', 'superseded'])
    for (const language of ['en', 'zh', 'all']) {
      const these = asked.filter((one) => one.kind === kind && (language === 'all' || one.language === language))
      const share = (fits: (one: Asked) => boolean) => (these.filter(fits).length / these.length).toFixed(2)
      const recall =
        kind === 'unrelated' ? '-' : share(({ expects, found }) => found.some(({ id }) => expects.includes(id)))
      const isFalse = kind === 'unrelated' ? share(({ found }) => found.length > 0) : '-'
      const old = these.filter(({ found }) => found.some(({ id }) => replaced.has(id))).length
      console.log(
        [
          kind.padEnd(12),
          language.padEnd(10),
          String(these.length).padEnd(11),
          recall.padEnd(10),
          isFalse.padEnd(14),
          old,
        ].join(''),
      )
    }
}
