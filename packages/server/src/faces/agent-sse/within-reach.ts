/** Earlier messages and their calls together: more than are ever imported. */
const MAX_ENTRIES = 1_000

/** A request with the newest part of its history. What is older is not even looked at, however much of it there is. */
export function withinReach(body: unknown): unknown {
  const { history } = (body ?? {}) as { history?: unknown }
  if (!Array.isArray(history)) return body
  let entries = 0
  let from = history.length
  while (from > 0 && (entries += 1 + callsIn(history[from - 1])) <= MAX_ENTRIES) from -= 1
  return from === 0 ? body : { ...(body as object), history: history.slice(from) }
}

function callsIn(message: unknown): number {
  const { toolCalls } = (message ?? {}) as { toolCalls?: unknown }
  return Array.isArray(toolCalls) ? toolCalls.length : 0
}
