import type { TurnProjection } from '@parley/protocol'
import type { RecordedEvent } from '@parley/protocol/rest'

/** What events hold, looked at with suspicion: the record may be older or newer than this page. */

export type PatchData = Record<string, unknown> & { tool_call_id?: string; status?: string }

export function patchOf({ type, data }: RecordedEvent): { patch_type: string; data: PatchData } | undefined {
  if (type !== 'turn:patch' || typeof data?.['patch_type'] !== 'string') return undefined
  const patch = data['data']
  return {
    patch_type: data['patch_type'],
    data: typeof patch === 'object' && patch !== null ? (patch as PatchData) : {},
  }
}

/** The turn that begins or ends here. */
export function turnOf({ type, data }: RecordedEvent): Partial<TurnProjection> | undefined {
  return type === 'turn:start' || type === 'turn:end' ? (data ?? {}) : undefined
}

/** Characters of text that this event adds, and what they are; `undefined` for any other event. */
export function textOf(event: RecordedEvent): { type: string; characters: number } | undefined {
  const patch = patchOf(event)
  const delta = patch?.patch_type === 'add_content' ? patch.data['text_delta'] : undefined
  return typeof delta === 'string' ? { type: String(patch!.data['type']), characters: [...delta].length } : undefined
}

export function stringOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

/** A user's turn that answers a question. */
export function isAnswer({ blocks = [] }: Partial<TurnProjection>): boolean {
  return blocks.some(({ type }) => type === 'ask_user_answer')
}

/** The run goes on after its server died; told by records that name no owners, too. */
export function isRecovered({ type, data }: RecordedEvent): boolean {
  return type === 'system:notification' && data?.['notification_type'] === 'run:recovered'
}
