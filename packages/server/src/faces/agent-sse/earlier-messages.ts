import type { SendTerms } from '../../sessions/service.ts'
import { type EarlierEntry, idSchema } from './decode-request.ts'

type Earlier = NonNullable<SendTerms['history']>[number]

/** [S2.0.3] What a client says was said before. Only users and assistants say something. */
export function earlierMessages(history: readonly EarlierEntry[]): Earlier[] {
  return history.flatMap(({ role, content, id, timestamp, toolCalls = [] }): Earlier[] => {
    if (role !== 'user' && role !== 'assistant') return []
    const at = isTime(timestamp) ? { at: new Date(timestamp).toISOString() } : {}
    const named = id !== undefined && idSchema.safeParse(id).success ? { id } : {}
    return [{ role, text: content.toWellFormed(), ...named, ...at, calls: toolCalls.map(callOf) }]
  })
}

function callOf({ toolName: name, arguments: given, result }: NonNullable<EarlierEntry['toolCalls']>[number]) {
  if (!result) return { name, arguments: given }
  return { name, arguments: given, result: result.data ?? result.content, isError: !result.success }
}

function isTime(text: string | undefined): text is string {
  return text !== undefined && !Number.isNaN(Date.parse(text))
}
