import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { features } from './0001-features.ts'
import { type Db, type Kind, table } from './table.ts'

/** Every table of the first release. No foreign keys: the journal's hot path pays for none, deleting a session names its tables. */
export function foundation(kind: Kind): Migration {
  return {
    async up(db: Db) {
      if (kind === 'postgres') await createClock(db)
      for (const create of [people, conversations, journal, runs, features, audit, search]) await create(db, kind)
    },
  }
}

/** The one clock of all instances. On SQLite the engine registers a function of the same name. */
async function createClock(db: Db): Promise<void> {
  await sql`CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE
    AS 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint'`.execute(db)
}

async function people(db: Db): Promise<void> {
  await table(db, 'meta', { required: ['key', 'value'] })
    .addPrimaryKeyConstraint('meta_key', ['key'])
    .execute()
  await sql`INSERT INTO meta (key, value) VALUES ('min_reader', '1')`.execute(db)
  await table(db, 'users', {
    required: ['id', 'username', 'created_at'],
    texts: ['display_name', 'avatar_url'],
    flags: ['is_owner'],
  })
    .addPrimaryKeyConstraint('users_key', ['id'])
    .addUniqueConstraint('users_username', ['username'])
    .execute()
  await table(db, 'api_keys', {
    required: ['id', 'user_id', 'name', 'hash', 'masked', 'created_at'],
    texts: ['last_used_at', 'revoked_at'],
  })
    .addPrimaryKeyConstraint('api_keys_key', ['id'])
    .execute()
  await db.schema.createIndex('api_keys_of_user').on('api_keys').column('user_id').execute()
}

async function conversations(db: Db): Promise<void> {
  await table(db, 'sessions', {
    required: ['id', 'user_id', 'intent', 'status', 'mode', 'created_at', 'updated_at'],
    texts: ['solution_id', 'biz_role_id', 'model', 'replay_state', 'disable_tools', 'env'],
    flags: ['shared', 'is_pinned', 'memory_enabled', 'is_persistent'],
  })
    .addPrimaryKeyConstraint('sessions_key', ['id'])
    .execute()
  await db.schema
    .createIndex('sessions_of_user')
    .on('sessions')
    .columns(['user_id', 'is_pinned', 'updated_at'])
    .execute()
}

async function journal(db: Db, kind: Kind): Promise<void> {
  await table(db, 'gates', {
    required: ['session_id'],
    texts: ['owner', 'run_id', 'last_batch'],
    flags: ['stop_requested'],
    numbers: ['head', 'epoch', 'skip', 'lease_until', 'floor', 'last_at'],
  })
    .addPrimaryKeyConstraint('gates_key', ['session_id'])
    .execute()
  await db.schema
    .createIndex('gates_by_lease')
    .on('gates')
    .column('lease_until')
    .where(sql.ref('run_id'), 'is not', null)
    .execute()

  // Clustered by session on SQLite, so that reading one session's events touches few pages.
  const clustered = kind === 'sqlite' ? sql`WITHOUT ROWID` : sql``
  await table(db, 'events', {
    required: ['session_id', 'type'],
    texts: ['run_id', 'loop_id', 'turn_id', 'batch'],
    numbers: ['event_seq', 'at'],
  })
    .addColumn('data', 'text', (c) => c.notNull()) // last, so that reading the others does not pass through it
    .addPrimaryKeyConstraint('events_key', ['session_id', 'event_seq'])
    .modifyEnd(clustered)
    .execute()
  // A notice that was sent twice, because nobody could tell whether it had arrived, is stored once.
  await db.schema
    .createIndex('events_of_notice')
    .on('events')
    .columns(['session_id', 'batch'])
    .unique()
    .where(sql.ref('batch'), 'is not', null)
    .execute()
  await table(db, 'turns', {
    required: ['session_id', 'turn_id', 'loop_id', 'status', 'projection'],
    texts: ['run_id', 'messages'],
    numbers: ['sequence'],
  })
    .addPrimaryKeyConstraint('turns_key', ['session_id', 'sequence'])
    .addUniqueConstraint('turns_id', ['session_id', 'turn_id'])
    .execute()
}

async function runs(db: Db): Promise<void> {
  await table(db, 'runs', {
    required: ['id', 'session_id', 'principal', 'status', 'options', 'needs'],
    texts: ['client_message_id', 'body_digest', 'secrets', 'outcome'],
    numbers: ['format', 'first_seq', 'takeovers', 'created_at'],
    optionalNumbers: ['ended_at'],
  })
    .addPrimaryKeyConstraint('runs_key', ['id'])
    .addUniqueConstraint('runs_once', ['session_id', 'principal', 'client_message_id'])
    .execute()
  await table(db, 'commands', {
    required: ['session_id', 'id', 'kind', 'data'],
    numbers: ['at'],
    optionalNumbers: ['applied_at'],
  })
    .addPrimaryKeyConstraint('commands_key', ['session_id', 'id'])
    .execute()
  await table(db, 'instances', { required: ['id', 'detail'], numbers: ['lease_until', 'started_at'] })
    .addPrimaryKeyConstraint('instances_key', ['id'])
    .execute()
}

async function audit(db: Db, kind: Kind): Promise<void> {
  await table(db, 'audit', {
    required: ['actor', 'action', 'subject'],
    texts: ['detail'],
    numbers: ['at'],
    generatedId: kind,
  }).execute()
  if (kind === 'sqlite') {
    for (const change of ['UPDATE', 'DELETE'])
      await sql`CREATE TRIGGER ${sql.raw(`audit_no_${change.toLowerCase()}`)} BEFORE ${sql.raw(change)} ON audit
        BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END`.execute(db)
    return
  }
  await sql`CREATE OR REPLACE FUNCTION audit_append_only() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN RAISE EXCEPTION ''the audit log is append-only''; END'`.execute(db)
  await sql`CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION audit_append_only()`.execute(db)
}

/** The tokens are made by `search-text.ts`; the engines only index them. */
async function search(db: Db, kind: Kind): Promise<void> {
  await table(db, 'search_documents', { required: ['user_id', 'kind', 'parent_id', 'ref'], generatedId: kind })
    .addUniqueConstraint('search_documents_ref', ['kind', 'parent_id', 'ref'])
    .execute()
  if (kind === 'sqlite') {
    await sql`CREATE VIRTUAL TABLE search_index USING fts5(tokens, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0')`.execute(
      db,
    )
    return
  }
  await sql`ALTER TABLE search_documents ADD COLUMN tokens tsvector NOT NULL DEFAULT ''`.execute(db)
  await sql`CREATE INDEX search_documents_tokens ON search_documents USING gin (tokens)`.execute(db)
}
