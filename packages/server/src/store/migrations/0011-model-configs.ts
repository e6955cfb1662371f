import type { Migration } from 'kysely/migration'
import { type Db, type Kind, table } from './table.ts'

/** Models behind one endpoint, made over REST. No id is ever used again: clients keep them. */
export function modelConfigs(kind: Kind): Migration {
  return {
    async up(db: Db) {
      await table(db, 'model_configs', {
        generatedId: kind,
        required: ['name', 'provider', 'base_url', 'api_key', 'models', 'created_at', 'updated_at'],
        flags: ['is_active'],
      })
        .addUniqueConstraint('model_configs_name', ['name'])
        .execute()
    },
  }
}
