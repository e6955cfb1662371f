import { type Db, type Kind, table } from './table.ts'

/** What the first release keeps room for beside the journal, and confirmations. */
export async function features(db: Db, kind: Kind): Promise<void> {
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
