import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What tools keep: task lists, background commands, and the versions of foreign tools that somebody has agreed to. */
export const tools: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('tasks')
      .addColumn('session_id', 'text', (c) => c.notNull())
      .addColumn('id', 'text', (c) => c.notNull())
      .addColumn('title', 'text', (c) => c.notNull())
      .addColumn('description', 'text')
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('created_at', 'text', (c) => c.notNull())
      .addColumn('updated_at', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('tasks_key', ['session_id', 'id'])
      .execute()
    await db.schema
      .createTable('background_tasks')
      .addColumn('task_id', 'text', (c) => c.notNull())
      .addColumn('session_id', 'text', (c) => c.notNull())
      .addColumn('instance', 'text', (c) => c.notNull())
      .addColumn('command', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('exit_code', 'integer')
      .addColumn('failure', 'text')
      .addColumn('stop_requested', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('started_at', 'text', (c) => c.notNull())
      .addColumn('finished_at', 'text')
      .addPrimaryKeyConstraint('background_tasks_key', ['task_id'])
      .execute()
    await db.schema.createIndex('background_tasks_of_session').on('background_tasks').column('session_id').execute()
    await db.schema.createIndex('background_tasks_by_status').on('background_tasks').column('status').execute()
    await db.schema
      .createTable('tool_versions')
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('digest', 'text', (c) => c.notNull())
      .addColumn('definition', 'text', (c) => c.notNull())
      .addColumn('approved_by', 'text')
      .addColumn('approved_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('tool_versions_key', ['name'])
      .execute()
    // The question that shows a confirmation to people.
    await db.schema.alterTable('confirmations').addColumn('question_id', 'text').execute()
    await db.schema.alterTable('confirmations').addColumn('user_id', 'text').execute()
  },
}
