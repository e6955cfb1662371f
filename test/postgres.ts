import { startPostgres } from '@parley/testkit'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openPostgres } from '../packages/server/src/store/postgres/engine.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
    /** A database with all tables and nothing in them, to be copied. */
    postgresTemplate: string
  }
}

/** One PostgreSQL for the whole run; every test makes a database of its own in it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres({ fsync: false })
  project.provide('postgresUrl', server.url)
  project.provide('postgresTemplate', await makeTemplate(server.url))
  return async () => server[Symbol.asyncDispose]()
}

async function makeTemplate(server: string): Promise<string> {
  const name = 'parley_template'
  const client = new pg.Client(server)
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  const url = new URL(server)
  url.pathname = name
  await using _engine = await openPostgres({ url: url.href, leaseMs: 3_000, pollMs: 300 })
  return name
}
