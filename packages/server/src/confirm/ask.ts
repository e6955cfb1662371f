import type { AskUserAnswer, AskUserQuestion, ConfirmationCard } from '@parley/protocol'
import type { ConfirmationDecision } from '@parley/protocol/rest'
import type { JsonObject, Tool } from '../ports.ts'
import type { Language } from '../words/language.ts'
import { say } from '../words/phrases.ts'

/** Index of the option that agrees; everything else refuses. */
export const APPROVE = 0
export const REJECT = 1

const PREVIEW_CHARACTERS = 500

/** The question that shows a confirmation: every client can answer it, ours draws a better card. */
export function confirmationQuestion(
  card: ConfirmationCard,
  { display_name, source_loop }: { display_name: string; source_loop: AskUserQuestion['source_loop'] },
  language: Language,
): JsonObject {
  const options = [
    { label: say('consent.approve', language), description: card.preview },
    { label: say('consent.reject', language), description: null },
  ]
  const question = {
    question: say('consent.question', language, { name: display_name }),
    header: say('consent.header', language),
    options,
    multiSelect: false,
  }
  return { questions: [question], source_loop, confirmation: card as unknown as JsonObject }
}

/** A decision, as the answer to that question. */
export function decidingAnswer(
  question_id: string,
  { decision, edited_arguments, reason }: ConfirmationDecision,
): AskUserAnswer {
  return {
    tool_call_id: question_id,
    selections: { 0: [decision === 'approve' ? APPROVE : REJECT] },
    custom: reason ? { 0: reason } : {},
    ...(edited_arguments && { edited_arguments }),
  }
}

/** What would happen, in a few words: the tool's own, the one argument that matters, or all of them. */
export function previewOf(args: JsonObject, tool?: Pick<Tool, 'check' | 'preview'>): string {
  const [first, ...others] = Object.values(args)
  const input = tool?.preview && tool.check(args)
  // Only a schema of our own answers at once, and only our own tools have a preview.
  const own = input && 'ok' in input && input.ok ? tool?.preview?.(input.value) : undefined
  const text = own ?? (typeof first === 'string' && others.length === 0 ? first : JSON.stringify(args))
  // A column of its own: PostgreSQL takes no NUL there, nor half a character.
  const plain = text.slice(0, PREVIEW_CHARACTERS).replaceAll('\0', '\uFFFD').toWellFormed()
  return text.length <= PREVIEW_CHARACTERS ? plain : `${plain}…`
}
