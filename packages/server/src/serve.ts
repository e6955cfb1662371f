import type { Logger } from 'pino'
import { ConfigError, configWarnings, loadConfig } from './config/load-config.ts'
import { LogOutput } from './log-output.ts'
import { createLogger } from './logging.ts'
import { startServer, VERSION } from './server.ts'
import { breakRun } from './runs/run-scope.ts'
import { StoreError } from './store/errors.ts'
import { storageFailure } from './store/storage-failure.ts'
import type { Language } from './words/language.ts'
import { say } from './words/phrases.ts'

/** How the process ends when it cannot start; see CONTRIBUTING.md. */
const EXIT = { unexpected: 1, configuration: 2, storage: 3, address: 4 }

/** How long the last lines may take to get out. */
const LAST_WORDS_MS = 1_000

/** The whole life of the server program: read the configuration, start, wait for a signal, stop. */
export async function serve(): Promise<void> {
  const output = new LogOutput(process.stdout)
  try {
    const config = await loadConfig(process.cwd(), process.env)
    const logger = await createLogger(config, process.stdout.isTTY, output)
    surviveRuns(logger)
    for (const warning of configWarnings(process.env, config)) logger.warn(warning)
    const { language } = config
    const server = await startServer(config, logger)
    logger.info(
      { version: VERSION, database: config.databaseUrl ? 'postgres' : 'sqlite' },
      say('start.listening', language, { url: server.url }),
    )
    if (server.elsewhere) logger.info(openTo(config.host, server.elsewhere, language))
    logger.info(say('start.signIn', language, { url: server.signInUrl }))
    await stopRequested()
    logger.info(say('start.stopping', language))
    await server[Symbol.asyncDispose]()
  } catch (error) {
    const { code, message } = explained(error as NodeJS.ErrnoException)
    const words = new LogOutput(process.stderr)
    words.write(`${message}\n`)
    await words.flush(LAST_WORDS_MS)
    process.exitCode = code
  }
  await output.flush(LAST_WORDS_MS)
  // Lines that nobody reads would keep the process for ever.
  process.exit()
}

/**
 * The last resort. What a callback of a run throws where nobody can catch it, in a tool's own timer say, fails that run.
 * Anything else is a bug of ours that nobody knows the reach of: the process ends, and others carry its runs on.
 */
function surviveRuns(logger: Logger): void {
  process.on('uncaughtException', (error) => {
    if (breakRun(error)) return logger.error({ err: error }, 'a callback of a run threw; the run is ended')
    process.stderr.write(`${explained(error).message}\n`)
    process.exit(EXIT.unexpected)
  })
}

function openTo(host: string, elsewhere: string[], language: Language): string {
  if (elsewhere.length === 0) return say('start.everywhere', language, { host })
  return say('start.elsewhere', language, { host, urls: elsewhere.join(say('start.or', language)) })
}

/** The first signal stops the server in good order; a second one ends it at once. */
async function stopRequested(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        process.once(signal, () => process.exit(EXIT.unexpected))
        resolve()
      })
  })
}

/** What a person can do something about is a sentence; anything else is a bug and shows where it is. */
function explained(error: NodeJS.ErrnoException & { port?: number; address?: string }): {
  code: number
  message: string
} {
  if (error instanceof ConfigError) return { code: EXIT.configuration, message: error.message }
  if (error instanceof StoreError) return { code: EXIT.storage, message: error.message }
  // A file that could not be written beside the database.
  if (storageFailure(error))
    return { code: EXIT.storage, message: `The data directory cannot be written: ${error.message}` }
  if (error.code === 'EADDRINUSE')
    return {
      code: EXIT.address,
      message: `Port ${error.port} is taken. Stop the program that has it, or choose another with PARLEY_PORT.`,
    }
  if (error.code === 'EACCES' && error.port)
    return {
      code: EXIT.address,
      message: `This user may not listen on port ${error.port}. Choose another with PARLEY_PORT.`,
    }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return { code: EXIT.address, message: `This machine has no address ${error.address ?? ''}. Check PARLEY_HOST.` }
  return { code: EXIT.unexpected, message: error.stack ?? String(error) }
}
