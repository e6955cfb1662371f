import { filled, type Values } from './filled.ts'
import { ERROR_PHRASES, REFUSALS } from './phrases/errors.ts'
import { FAILURES } from './phrases/failures.ts'
import { LOG_LINES } from './phrases/log-lines.ts'
import { MCP_FAILURES } from './phrases/mcp-failures.ts'
import { NOTICES } from './phrases/notices.ts'
import { RESULTS } from './phrases/results.ts'
import { SCHEDULE_ENDS } from './phrases/schedule-ends.ts'
import { START_LINES } from './phrases/start-lines.ts'
import { SUPERVISOR_LINES } from './phrases/supervisor-lines.ts'
import type { Language } from './language.ts'

/** A sentence in both languages; `{name}` stands for what changes. */
export type Phrase = {
  en: string
  zh: string
  /** Names hosts, settings or what a provider said: nothing for visitors. */
  forOperators?: true
}

/** Everything that the server says to people, by key. */
export const PHRASES = {
  ...NOTICES,
  ...FAILURES,
  ...ERROR_PHRASES,
  ...REFUSALS,
  ...RESULTS,
  ...LOG_LINES,
  ...MCP_FAILURES,
  ...SCHEDULE_ENDS,
  ...START_LINES,
  ...SUPERVISOR_LINES,
} satisfies Record<string, Phrase>

export type PhraseKey = keyof typeof PHRASES

export function say(key: PhraseKey, language: Language, values: Values = {}): string {
  return filled(PHRASES[key][language], values)
}
