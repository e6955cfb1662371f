import type { Migration } from 'kysely/migration'
import { type Db, table } from './table.ts'

/** Where the context of a loop begins, and windows that models are not known to have. */
export const compactions: Migration = {
  async up(db: Db) {
    await table(db, 'compactions', {
      required: ['session_id', 'loop_id', 'turn_id'],
      numbers: ['sequence', 'first_kept'],
    })
      .addPrimaryKeyConstraint('compactions_key', ['session_id', 'sequence'])
      .execute()
    await table(db, 'model_windows', { required: ['model'], numbers: ['context_window', 'learned_at'] })
      .addPrimaryKeyConstraint('model_windows_key', ['model'])
      .execute()
  },
}
