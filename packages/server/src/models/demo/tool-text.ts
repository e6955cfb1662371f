import { parseBoundedJson } from '@parley/protocol/wire'
import type { Language } from './language.ts'
import type { SeenResult } from './situation.ts'

const MAX_FILES = 20

/** Names of files as a list, or words where there are none. */
export function fileList({ text, is_error }: SeenResult, language: Language): string | null {
  const found = is_error ? undefined : parseBoundedJson(text)
  if (!Array.isArray(found)) return fenced(text)
  if (found.length === 0) return null
  const lines = found.slice(0, MAX_FILES).map((name) => `- \`${excerpt(String(name), 120)}\``)
  const rest = found.length - lines.length
  if (rest > 0) lines.push({ en: `- … and ${rest} more`, zh: `- ……以及另外 ${rest} 个` }[language])
  return lines.join('\n')
}

/** A file as Read gives it, without the numbers of its lines. */
export function fileText({ text }: SeenResult): string {
  return text.replace(/^\d+\t/gm, '')
}

/** What was chosen, question by question. */
export function answerList({ text }: SeenResult): string {
  const { answers }: { answers?: unknown } = asObject(parseBoundedJson(text))
  if (!Array.isArray(answers)) return excerpt(text)
  return answers.map((answer) => answerLine(asObject(answer))).join('\n')
}

function answerLine({ question, selected, custom }: Record<string, unknown>): string {
  const chosen = [...(Array.isArray(selected) ? selected : []), ...(custom ? [custom] : [])].map(String)
  return `- ${excerpt(typeof question === 'string' ? question : '', 200)} **${excerpt(chosen.join(', '), 200)}**`
}

/** As a block of its own, whatever it holds. */
export function fenced(text: string): string {
  return `\`\`\`\n${excerpt(text)}\n\`\`\``
}

/** As much of a tool's result as fits into a sentence. */
export function excerpt(text: string, maxChars = 600): string {
  const short = text.length > maxChars ? `${text.slice(0, maxChars)}…` : text
  // A result must not close the fence it is shown in.
  return short.replaceAll('```', "'''").trim() || '–'
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
