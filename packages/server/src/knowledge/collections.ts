import { AgentError } from '@parley/protocol'
import type { KnowledgeCollection } from '@parley/protocol/rest'
import type { Ids } from '../ports.ts'
import { readStoredList } from '../store/stored-json.ts'
import { runSql, type Work } from '../store/work.ts'

/** Where documents go that name no collection. */
export const DEFAULT_COLLECTION = 'default'

export type FilledCollection = { id: string; name: string; agents: string | null; subjects: string | null }

type CollectionRow = FilledCollection & { documents: number }

/** Who asks: a collection may be for some agents, or for some of the product's visitors. */
export type Asker = { account_id: string; agent: string | null; subject: string | null }

/** What a search of a collection looks through. */
export function spaceOf(collection_id: string): string {
  return `knowledge:${collection_id}`
}

/** The collections in which this conversation may find something: no search crosses that line. */
export function* openTo({ account_id, agent, subject }: Asker): Work<FilledCollection[]> {
  const rows = yield* filledCollections(account_id)
  return rows.filter(({ agents, subjects }) => lists(agents, agent ?? 'default') && lists(subjects, subject))
}

/** Those with documents. How many is not counted: every message asks this. */
export function* filledCollections(account_id: string): Work<FilledCollection[]> {
  return yield* runSql<FilledCollection>(
    `SELECT c.id, c.name, c.agents, c.subjects FROM knowledge_collections c WHERE c.account_id = ?
      AND EXISTS (SELECT 1 FROM knowledge_documents d WHERE d.collection_id = c.id) ORDER BY c.name`,
    [account_id],
  )
}

/** Nobody's name is on a list that cannot be read. */
function lists(names: string | null, name: string | null): boolean {
  if (names === null) return true
  return name !== null && (readStoredList(names) ?? []).includes(name)
}

export function* collectionsOf(account_id: string): Work<CollectionRow[]> {
  return yield* runSql<CollectionRow>(
    `SELECT c.id, c.name, c.agents, c.subjects, CAST(count(d.id) AS INTEGER) AS documents FROM knowledge_collections c
      LEFT JOIN knowledge_documents d ON d.collection_id = c.id
      WHERE c.account_id = ? GROUP BY c.id, c.name, c.agents, c.subjects ORDER BY c.name`,
    [account_id],
  )
}

export function toCollection({ name, agents, subjects, documents }: CollectionRow): KnowledgeCollection {
  const names = (text: string | null) => (text === null ? null : ((readStoredList(text) ?? []) as string[]))
  return { name, agents: names(agents), subjects: names(subjects), documentCount: documents }
}

export function* findCollection(account_id: string, name: string): Work<string | undefined> {
  const [row] = yield* runSql<{ id: string }>(
    'SELECT id FROM knowledge_collections WHERE account_id = ? AND name = ?',
    [account_id, name],
  )
  return row?.id
}

/** A collection that a document names is there from then on, for everybody of the account. */
export function* ensureCollection(of: { account_id: string; name: string; now: string }, ids: Ids): Work<string> {
  const { account_id, name, now } = of
  yield* runSql(
    `INSERT INTO knowledge_collections (id, account_id, name, created_at) VALUES (?, ?, ?, ?)
      ON CONFLICT (account_id, name) DO NOTHING`,
    [ids.next('col'), account_id, name, now],
  )
  return (yield* findCollection(account_id, name))!
}

export type Limits = { agents: readonly string[] | null; subjects: readonly string[] | null }

export function* limitCollection(id: string, { agents, subjects }: Limits): Work<void> {
  const list = (names: readonly string[] | null) => (names === null ? null : JSON.stringify(names))
  yield* runSql('UPDATE knowledge_collections SET agents = ?, subjects = ? WHERE id = ?', [
    list(agents),
    list(subjects),
    id,
  ])
}

/** Only an empty one: what is deleted with it would be deleted unseen. */
export function* deleteCollection(account_id: string, name: string): Work<void> {
  const id = yield* findCollection(account_id, name)
  if (id === undefined) throw noCollection(name)
  const [document] = yield* runSql('SELECT 1 AS n FROM knowledge_documents WHERE collection_id = ? LIMIT 1', [id])
  if (document) throw new AgentError('invalid_payload', `Collection ${name} has documents; delete them first.`)
  yield* runSql('DELETE FROM knowledge_collections WHERE id = ?', [id])
}

export function noCollection(name: string): AgentError {
  return new AgentError('not_found', `There is no collection ${name}.`)
}
