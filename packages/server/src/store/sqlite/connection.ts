import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { Told, Work } from '../work.ts'

const STATEMENTS_KEPT = 256

/** A connection with its prepared statements. */
export class Connection {
  readonly database: DatabaseSync
  readonly #statements = new Map<string, { statement: StatementSync; returnsRows: boolean }>()

  constructor(database: DatabaseSync) {
    this.database = database
  }

  /** Runs a work in one go. */
  drive<T>(work: Work<T>, onTold: (told: Told) => void): T {
    let next = work.next()
    while (!next.done) {
      const step = next.value
      if (!('sql' in step)) {
        onTold(step)
        next = work.next([])
        continue
      }
      let rows: unknown[]
      try {
        rows = this.run(step.sql, step.parameters)
      } catch (error) {
        next = work.throw(error)
        continue
      }
      next = work.next(rows)
    }
    return next.value
  }

  run(sql: string, parameters: readonly unknown[]): unknown[] {
    const { statement, returnsRows } = this.#prepared(sql)
    if (returnsRows) return statement.all(...(parameters as SQLInputValue[]))
    statement.run(...(parameters as SQLInputValue[]))
    return []
  }

  #prepared(sql: string): { statement: StatementSync; returnsRows: boolean } {
    const known = this.#statements.get(sql)
    if (known) return known
    if (this.#statements.size >= STATEMENTS_KEPT) this.#statements.delete(this.#statements.keys().next().value!)
    const statement = this.database.prepare(sql)
    const prepared = { statement, returnsRows: statement.columns().length > 0 }
    this.#statements.set(sql, prepared)
    return prepared
  }
}
