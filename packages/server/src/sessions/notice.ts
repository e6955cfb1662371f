import type { NewEvent } from '../store/append.ts'

/** An event that belongs to no run. */
export function notice(type: 'session:updated' | 'session:deleted', payload: object): NewEvent {
  return { type, data: JSON.stringify(payload), run_id: null, loop_id: null, turn_id: null }
}
