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

/** Pretty on a terminal, JSON lines otherwise, or wherever `destination` leads. */
export function createLogger(
  { logLevel }: Pick<ServerConfig, 'logLevel'>,
  isTerminal: boolean,
  destination?: DestinationStream,
): Logger {
  const options = {
    level: logLevel,
    base: null,
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '***' },
  }
  if (destination) return pino(options, destination)
  if (!isTerminal) return pino(options)
  const pretty = { translateTime: 'HH:MM:ss', ignore: 'pid,hostname', colorize: true }
  return pino({ ...options, transport: { target: 'pino-pretty', options: pretty } })
}
