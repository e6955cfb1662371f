import { CommandError, EXIT, type ExitCode } from './exit-codes.ts'
import type { Words } from './words.ts'

/** What went wrong, as a sentence and a code. Anything unexpected shows where it happened. */
export function explain(error: unknown, words: Words, url = words.theServer): { message: string; exitCode: ExitCode } {
  if (error instanceof CommandError) return error
  const { name, code, status, message, stack } = error as Error & { code?: string; status?: number }
  if (code?.startsWith('ERR_PARSE_ARGS'))
    return { message: `${wrongUsage(code, message, words)}\n${words.seeHelp}`, exitCode: EXIT.usage }
  if (status === 401 || code === 'unauthorized')
    return { message: words.unauthorized(url), exitCode: EXIT.unauthorized }
  if (name === 'TypeError' && message === 'fetch failed')
    return { message: words.unreachable(url), exitCode: EXIT.unreachable }
  if (code === 'timeout') return { message, exitCode: EXIT.timeout }
  if (code === 'interrupted') return { message: words.stopped, exitCode: EXIT.interrupted }
  // Failures with a name of their own are written for people: a wrong configuration, a directory that is in use.
  const isExpected = Boolean(code ?? status) || ['ConfigError', 'StoreError'].includes(name)
  if (isExpected) return { message, exitCode: EXIT.failed }
  return { message: stack ?? String(error), exitCode: EXIT.failed }
}

/** Node says it in English only; what it is about stands in quotes. */
function wrongUsage(code: string, message: string, words: Words): string {
  const what = /'([^']*)'/.exec(message)?.[1] ?? ''
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return words.unknownOption(what)
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return words.unexpected(what)
  return code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' ? words.badOption(what) : message
}
