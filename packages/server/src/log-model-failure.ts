import type { Logger } from 'pino'
import type { ModelFailure } from './ports.ts'
import type { Language } from './words/language.ts'
import { reword } from './words/phrase-book.ts'
import { say } from './words/phrases.ts'

/** One line for the operator: which model, what its provider said, where to look, and what happens next. */
export function logModelFailure(
  { kind, message }: ModelFailure,
  next: { model: string; delayMs: number } | null,
  { logger, language }: { logger: Pick<Logger, 'warn'>; language: Language },
): void {
  const said = reword(message, 'failure', language) ?? message
  if (next) logger.warn({ kind }, say('log.modelAgain', language, { said, model: next.model, delay: next.delayMs }))
  else logger.warn({ kind }, say('log.modelFailed', language, { said }))
}
