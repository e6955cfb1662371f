import type { CreateTableBuilder, Kysely } from 'kysely'

export type Db = Kysely<unknown>
export type Kind = 'sqlite' | 'postgres'

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
export function table(db: Db, name: string, columns: Columns): CreateTableBuilder<string, string> {
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
