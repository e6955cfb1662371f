import { type DestinationStream, type Logger, pino } from 'pino'
import type { ServerConfig } from './config/options.ts'

/** Names under which secrets travel; whatever stands there never reaches a log. */
const SECRETS = [
  'token',
  'key',
  'apiKey',
  'api_key',
  'plaintext',
  'password',
  'secret',
  'authorization',
  'cookie',
  'runtime_env',
  'env',
  'databaseUrl',
]

/** JSON lines, written to `destination`; readable ones if a person sits in front of it. */
export async function createLogger(
  { logLevel }: Pick<ServerConfig, 'logLevel'>,
  isTerminal: boolean,
  destination: DestinationStream,
): Promise<Logger> {
  const options = {
    level: logLevel,
    base: null,
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '***' },
  }
  return pino(options, isTerminal ? await readable(destination) : destination)
}

/** In this thread: pino's own way is a worker that it finds by its path, and a bundle has no such file. */
async function readable(destination: DestinationStream): Promise<DestinationStream> {
  const { prettyFactory } = await import('pino-pretty')
  const prettify = prettyFactory({ translateTime: 'HH:MM:ss', ignore: 'pid,hostname', colorize: true })
  return { write: (line) => destination.write(prettify(line)) }
}
