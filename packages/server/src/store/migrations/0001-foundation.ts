import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

type Db = Kysely<unknown>
type Kind = 'sqlite' | 'postgres'

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

async function features(db: Db, kind: Kind): Promise<void> {
  await table(db, 'memories', {
    required: ['user_id', 'type', 'content', 'created_at', 'source_session'],
    texts: [
      'skill_name',
      'record_type',
      'scope',
      'owner',
      'topic',
      'mem0_id',
      'write_reason',
      'updated_at',
      'last_hit_at',
    ],
    flags: ['disabled'],
    numbers: ['hit_count'],
    optionalNumbers: ['superseded_by'],
    generatedId: kind,
  }).execute()
  await db.schema.createIndex('memories_of_user').on('memories').columns(['user_id', 'id']).execute()
  await table(db, 'schedules', {
    required: ['id', 'user_id', 'title', 'prompt', 'cron', 'timezone', 'created_at', 'updated_at'],
    texts: ['expires_at', 'model'],
    flags: ['enabled', 'skip_confirmations'],
    optionalNumbers: ['next_at'],
  })
    .addPrimaryKeyConstraint('schedules_key', ['id'])
    .execute()
  await db.schema.createIndex('schedules_due').on('schedules').column('next_at').execute()
  await table(db, 'slots', {
    required: ['task_id', 'run_record_id', 'fate'],
    texts: ['session_id', 'error'],
    numbers: ['slot', 'claimed_at'],
    optionalNumbers: ['finished_at'],
  })
    .addPrimaryKeyConstraint('slots_key', ['task_id', 'slot'])
    .execute()
  await table(db, 'confirmations', {
    required: [
      'id',
      'session_id',
      'run_id',
      'turn_id',
      'loop_id',
      'tool_call_id',
      'tool_name',
      'arguments',
      'risk',
      'digest',
      'status',
    ],
    texts: ['edited_arguments', 'preview', 'decided_by'],
    numbers: ['expires_at', 'created_at'],
    optionalNumbers: ['decided_at'],
  })
    .addPrimaryKeyConstraint('confirmations_key', ['id'])
    .execute()
  await db.schema.createIndex('confirmations_pending').on('confirmations').columns(['status', 'expires_at']).execute()
  await db.schema.createIndex('confirmations_of_session').on('confirmations').column('session_id').execute()
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

type Columns = {
  required: string[]
  texts?: string[]
  flags?: string[]
  numbers?: string[]
  optionalNumbers?: string[]
  /** An `id` that the database counts up. */
  generatedId?: Kind
}

/** A table of required texts, then whatever else: optional texts, 0/1 flags, integers. */
function table(db: Db, name: string, columns: Columns): CreateTableBuilder<string, string> {
  let builder = db.schema.createTable(name) as CreateTableBuilder<string, string>
  if (columns.generatedId === 'sqlite')
    builder = builder.addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
  if (columns.generatedId === 'postgres')
    builder = builder.addColumn('id', 'bigint', (c) => c.primaryKey().generatedByDefaultAsIdentity())
  for (const column of columns.required) builder = builder.addColumn(column, 'text', (c) => c.notNull())
  for (const column of columns.texts ?? []) builder = builder.addColumn(column, 'text')
  for (const column of columns.flags ?? [])
    builder = builder.addColumn(column, 'integer', (c) => c.notNull().defaultTo(0))
  for (const column of columns.numbers ?? [])
    builder = builder.addColumn(column, 'bigint', (c) => c.notNull().defaultTo(0))
  for (const column of columns.optionalNumbers ?? []) builder = builder.addColumn(column, 'bigint')
  return builder
}
