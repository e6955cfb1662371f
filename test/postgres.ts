import { startPostgres } from '@parley/testkit'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

/** One PostgreSQL for the whole run; every test makes a database of its own in it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres({ fsync: false })
  project.provide('postgresUrl', server.url)
  return async () => server[Symbol.asyncDispose]()
}
