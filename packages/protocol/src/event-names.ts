/** Every event that a server sends. */
const EVENT_NAMES = [
  'chat:start',
  'turn:start',
  'turn:patch',
  'turn:end',
  'chat:end',
  'session:updated',
  'workspace:files_changed',
  'system:error',
  'system:notification',
  'memory:inject:done',
  'task:updated',
  'artifact:created',
  'bg:started',
  'bg:ended',
  'skills:changed',
  'replay:input_mismatch',
  'session:deleted',
  'feedback:given',
  'knowledge:retrieved',
] as const
export type EventName = (typeof EVENT_NAMES)[number]

/** False for events of a newer server, which are to be ignored. Asks no schema: a browser does without them. */
export function isEventName(name: string): name is EventName {
  return (EVENT_NAMES as readonly string[]).includes(name)
}
