import { readStored } from '../../store/stored-json.ts'
import type { StoredEvent } from '../../store/work.ts'

/** How many calls a complete answer has, as `run:answer` tells before they are announced one by one. */
export function callsIn({ data }: Pick<StoredEvent, 'data'>): number {
  const { parts }: { parts?: unknown } = readStored(data) ?? {}
  return Array.isArray(parts) ? parts.filter((part: { type?: unknown } | null) => part?.type === 'tool_call').length : 0
}
