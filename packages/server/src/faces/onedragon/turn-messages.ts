import { parseArguments } from '@parley/protocol'
import type { Block } from './frame.ts'

/** A turn of the main agent, as far as it has been told: what it says and calls, and what came back. */
export type OpenTurn = {
  turn_id: string
  begunAt: number
  thinking: string
  text: string
  /** Thinking that comes after text was sent is not shown: no block is put before another ([O8.4]). */
  isThoughtFirst: boolean
  calls: readonly Call[]
  /** How many calls the answer has, once it is complete. */
  expected: number | null
  /** Its own message is complete. */
  isSaid: boolean
  /** When the first result came. */
  resultsAt: number | null
}

export type Call = { id: string; name: string; arguments: string; result: Result | null }
export type Result = { text: string; isError: boolean }

export function newTurn(turn_id: string, begunAt: number): OpenTurn {
  return {
    turn_id,
    begunAt,
    ...{ thinking: '', text: '', isThoughtFirst: false, calls: [], expected: null, isSaid: false, resultsAt: null },
  }
}

export type Style = { showThinking: boolean; emitGenerateResponse: boolean }

/** [O6] Thinking, then the text, then the calls. */
export function saidBy(turn: OpenTurn, { showThinking, emitGenerateResponse }: Style): Block[] {
  const { turn_id, thinking, text, isThoughtFirst, calls } = turn
  const spoken: Block = emitGenerateResponse
    ? { type: 'tool_use', id: `${turn_id}_response`, name: 'generate_response', input: { response: text } }
    : { type: 'text', text }
  return [
    ...(showThinking && isThoughtFirst ? [{ type: 'thinking' as const, thinking }] : []),
    ...(text === '' ? [] : [spoken]),
    ...calls.map(({ id, name, arguments: given }) => ({
      type: 'tool_use' as const,
      id,
      name,
      input: parseArguments(given),
    })),
  ]
}

/** Results so far, in the order of the calls ([O9.2]). */
export function resultsOf({ calls }: Pick<OpenTurn, 'calls'>): Block[] {
  return calls.flatMap(({ id, name, result }) => (result ? [resultBlock({ id, name }, result)] : []))
}

export function resultBlock({ id, name }: Pick<Call, 'id' | 'name'>, { text, isError }: Result): Block {
  const output = [{ type: 'text' as const, text }]
  return { type: 'tool_result', id, name, output, ...(isError && { is_error: true as const }) }
}

/** `at`: when it came. */
export function withResult(turn: OpenTurn, { id, result, at }: { id: string; result: Result; at: number }): OpenTurn {
  const calls = turn.calls.map((call) => (call.id === id ? { ...call, result } : call))
  return { ...turn, calls, resultsAt: turn.resultsAt ?? at }
}
