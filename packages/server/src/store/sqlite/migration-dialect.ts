import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { type Dialect, SqliteDialect } from 'kysely'

/** Kysely's own dialect over `node:sqlite`, for the migrator; everything else goes through the engine. */
export function migrationDialect(database: DatabaseSync): Dialect {
  return new SqliteDialect({
    database: {
      close: () => undefined, // the engine owns the connection
      prepare(sql) {
        const statement = database.prepare(sql)
        return {
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
          run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
          iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])) as IterableIterator<unknown>,
        }
      },
    },
  })
}
