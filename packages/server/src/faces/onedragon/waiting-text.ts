import type { ChatEndPayload } from '@parley/protocol'
import type { Language } from '../../words/language.ts'
import { say } from '../../words/phrases.ts'
import type { Result } from './turn-messages.ts'

type Card = { tool_name?: string; preview?: string; expires_at?: string }
type Asked = { confirmation?: Card; questions?: { question?: string; options?: { label?: string }[] }[] }

/**
 * What a run stopped at, in words: this protocol has no way to agree or to choose, and plain text never does. Decided
 * elsewhere the run goes on; the next message here withdraws it.
 */
export function waitingText(
  { pause_tool_data }: ChatEndPayload,
  { language, timestamp }: { language: Language; timestamp: (at: number) => string },
): string | null {
  if (!pause_tool_data) return null
  const { confirmation, questions = [] } = pause_tool_data.arguments as Asked
  if (!confirmation) return questions.map(asText).join('\n\n') || null
  const { tool_name = '', preview = '', expires_at } = confirmation
  const until = timestamp(Date.parse(expires_at ?? '') || 0).slice(0, 16)
  return say('onedragon.consent', language, { name: tool_name, preview, until })
}

/** What a call that waits for consent has come to so far. */
export function waits(language: Language): Result {
  return { text: `Error: ${say('onedragon.waits', language)}`, isError: true }
}

function asText({ question = '', options = [] }: NonNullable<Asked['questions']>[number]): string {
  return [question, ...options.map(({ label = '' }) => `- ${label}`)].join('\n')
}
