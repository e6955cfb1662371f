import { type Logger, pino } from 'pino'
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

/** Pretty on a terminal, JSON lines otherwise. */
export function createLogger({ logLevel }: Pick<ServerConfig, 'logLevel'>, isTerminal: boolean): Logger {
  return pino({
    level: logLevel,
    base: null,
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '***' },
    ...(isTerminal && {
      transport: {
        target: 'pino-pretty',
        options: { translateTime: 'HH:MM:ss', ignore: 'pid,hostname', colorize: true },
      },
    }),
  })
}
