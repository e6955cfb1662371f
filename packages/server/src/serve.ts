import type { Logger } from 'pino'
import { ConfigError, configWarnings, loadConfig } from './config/load-config.ts'
import type { GivenOptions } from './config/options.ts'
import { LogOutput } from './log-output.ts'
import { createLogger } from './logging.ts'
import { startServer } from './server.ts'
import { VERSION } from './version.ts'
import { breakRun } from './runs/run-scope.ts'
import { StoreError } from './store/errors.ts'
import type { StartedServer } from './start.ts'
import { storageFailure } from './store/storage-failure.ts'
import { onStopSignal } from './supervise/stop-signals.ts'
import { findSupervisor, type Supervisor } from './supervise/supervised.ts'
import type { Language } from './words/language.ts'
import { say } from './words/phrases.ts'

/** How the process ends when it cannot start; see CONTRIBUTING.md. */
const EXIT = { unexpected: 1, configuration: 2, storage: 3, address: 4 }

/** How long the last lines may take to get out. */
const LAST_WORDS_MS = 1_000

/** Where a server is. */
type Whereabouts = Omit<StartedServer, 'key' | 'close'>

export type ServeSettings = {
  /** Win over the configuration file and the environment. */
  options?: GivenOptions
  /** Says that the server is there. Default: lines in the log. */
  onListening?: (server: Whereabouts) => void
}

/**
 * The whole life of the server program: read the configuration, start, wait until somebody wants it to stop, stop, and end
 * the process with an exit code that says why.
 */
export async function serve({ options = {}, onListening }: ServeSettings = {}): Promise<never> {
  const output = new LogOutput(process.stdout)
  const supervisor = findSupervisor(process.env)
  try {
    const config = await loadConfig(process.cwd(), process.env, options)
    const logger = await createLogger(config, process.stdout.isTTY, output)
    surviveRuns(logger)
    for (const warning of configWarnings(process.cwd(), process.env, config)) logger.warn(warning)
    const { language, file } = config
    if (file !== undefined) logger.info(say('start.config', language, { file }))
    const server = await startServer(config, logger, { supervisor })
    const about = { version: VERSION, database: config.databaseUrl ? 'postgres' : 'sqlite' }
    if (onListening) onListening(server)
    else sayListening(server, { host: config.host, language, logger, about })
    const stop = stopRequested(supervisor)
    supervisor?.ready(language)
    if ((await stop) === 'gone') logger.warn(say('supervisor.gone', language))
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

type Listening = { host: string; language: Language; logger: Logger; about: object }

function sayListening({ url, elsewhere, signInUrl }: Whereabouts, { host, language, logger, about }: Listening): void {
  logger.info(about, say('start.listening', language, { url }))
  if (elsewhere) logger.info(openTo(host, elsewhere, language))
  logger.info(say('start.signIn', language, { url: signInUrl }))
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

/** The first signal stops the server in good order, and so does the end of its supervisor; a second one ends it at once. */
function stopRequested(supervisor: Supervisor | null): Promise<'signal' | 'gone'> {
  return new Promise((resolve) => {
    onStopSignal((_signal, isAgain) => (isAgain ? process.exit(EXIT.unexpected) : resolve('signal')))
    void supervisor?.gone.then(() => resolve('gone'))
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
