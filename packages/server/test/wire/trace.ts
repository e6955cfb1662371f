import type { PatchEnvelope, TurnProjectionPayload } from '@parley/protocol'
import type { Received } from '../face/client.ts'

/** Names that a reader can follow: `T3` is the turn with sequence 3, `c2` the second call that was announced. */
export class Names {
  readonly #turns = new Map<string, string>()
  readonly #calls = new Map<string, string>()

  turn(turn_id: string, sequence?: number): string {
    if (sequence !== undefined) this.#turns.set(turn_id, `T${sequence}`)
    return this.#turns.get(turn_id) ?? 'T?'
  }

  call(id: string): string {
    const known = this.#calls.get(id) ?? `c${this.#calls.size + 1}`
    this.#calls.set(id, known)
    return known
  }
}

/** Events in a few words each. Adjacent increments of one block are one line: how text is cut is nobody's promise. */
export function traceOf(events: readonly Received[], names = new Names()): string[] {
  const lines: string[] = []
  let increments: { of: string; text: string } | undefined
  for (const event of events) {
    const text = incrementOf(event, names)
    if (text && increments?.of === text.of) {
      increments.text += text.delta
      lines[lines.length - 1] = `${increments.of}: ${increments.text}`
      continue
    }
    increments = text && { of: text.of, text: text.delta }
    lines.push(text ? `${text.of}: ${text.delta}` : inShort(event, names))
  }
  return lines
}

function incrementOf({ name, payload }: Received, names: Names): { of: string; delta: string } | undefined {
  if (name !== 'turn:patch') return undefined
  const { turn_id, patch_type, data } = payload as unknown as PatchEnvelope
  if (patch_type !== 'add_content' || data.text_delta == null) return undefined
  return { of: `${names.turn(turn_id)} ${data.type}`, delta: data.text_delta }
}

function inShort({ name, payload }: Received, names: Names): string {
  switch (name) {
    case 'turn:start': {
      const { turn_id, sequence, role, status, parent_fork_tool_call_id } = payload as unknown as TurnProjectionPayload
      const parent = parent_fork_tool_call_id === null ? '' : ` under ${names.call(parent_fork_tool_call_id)}`
      return `${name} ${names.turn(turn_id, sequence)} ${role} ${status}${parent}`
    }
    case 'turn:end': {
      const { turn_id, sequence, status } = payload as unknown as TurnProjectionPayload
      return `${name} ${names.turn(turn_id, sequence)} ${status}`
    }
    case 'turn:patch':
      return patchInShort(payload as unknown as PatchEnvelope, names)
    case 'chat:end':
      return `${name} ${word(payload['status'])}/${word(payload['session_status'])}`
    case 'session:updated':
      return `${name} ${word(payload['status'])}`
    case 'system:error':
      return `${name} ${word(payload['code'])}`
    case 'system:notification':
      return `${name} ${word(payload['notification_type'])}`
    default:
      return name
  }
}

function patchInShort({ turn_id, patch_type, data }: PatchEnvelope, names: Names): string {
  const turn = names.turn(turn_id)
  switch (patch_type) {
    case 'add_tool_call':
      return `${turn} add_tool_call ${names.call(data.id)} ${data.tool_name} ${data.status}`
    case 'tool_result':
    case 'set_tool_status':
      return `${turn} ${patch_type} ${names.call(data.tool_call_id)} ${data.status}`
    case 'set_status':
      return `${turn} set_status ${data.status}`
    case 'add_content':
      return `${turn} add_content ${data.type}`
    default:
      return `${turn} ${patch_type}`
  }
}

const word = (value: unknown) => (typeof value === 'string' ? value : '-')

/** Only `chat:*` and `turn:*`: what the flows of section 10 fix. */
export function isOfFlow({ name }: Received): boolean {
  return name.startsWith('chat:') || name.startsWith('turn:')
}

/** Do the wanted lines appear in this order? Others may lie between. */
export function missingOf(wanted: readonly string[], lines: readonly string[]): string[] {
  const rest = [...wanted]
  for (const line of lines) if (line === rest[0]) rest.shift()
  return rest
}
