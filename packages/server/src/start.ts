import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LOCAL_FILES } from '@parley/protocol/wire'
import { configWarnings, loadConfig } from './config/load-config.ts'
import type { GivenOptions } from './config/options.ts'
import { LogOutput } from './log-output.ts'
import { createLogger } from './logging.ts'
import { startServer } from './server.ts'

/** A server inside the caller's process. */
export type StartedServer = {
  url: string
  /** Where other machines find it, when it listens on every interface; else `null`. */
  elsewhere: string[] | null
  /** A key of the owner, for the caller's own use. */
  key: string
  /** Signs the owner in, once. */
  signInUrl: string
  close: () => Promise<void>
}

/** Starts a server with the configuration of the current directory and the environment; `options` win over both. */
export async function start(options: GivenOptions = {}): Promise<StartedServer> {
  const config = await loadConfig(process.cwd(), process.env, options)
  const { stdout } = process
  const logger = await createLogger(config, stdout.isTTY, new LogOutput(stdout))
  for (const warning of configWarnings(process.cwd(), process.env, config)) logger.warn(warning)
  const server = await startServer(config, logger)
  const key = (await readFile(join(config.dataDir, LOCAL_FILES.key), 'utf8')).trim()
  const { url, elsewhere, signInUrl } = server
  return { url, elsewhere, key, signInUrl, close: async () => server[Symbol.asyncDispose]() }
}
