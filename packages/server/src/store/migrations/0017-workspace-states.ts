import type { Migration } from 'kysely/migration'
import { type Db, table } from './table.ts'

/** States of workspaces that conversations can go back to. */
export const workspaceStates: Migration = {
  async up(db: Db) {
    await table(db, 'workspace_states', {
      required: ['session_id', 'name'],
      texts: ['state', 'problem'],
      numbers: ['sequence', 'taken_at'],
    })
      .addPrimaryKeyConstraint('workspace_states_key', ['session_id', 'sequence', 'name'])
      .execute()
  },
}
