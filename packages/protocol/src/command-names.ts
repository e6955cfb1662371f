/** Every command that a client may send. */
const COMMAND_NAMES = [
  'session:subscribe',
  'session:unsubscribe',
  'chat:send',
  'chat:stop',
  'chat:compact',
  'chat:append',
] as const
export type CommandName = (typeof COMMAND_NAMES)[number]

export function isCommandName(name: string): name is CommandName {
  return (COMMAND_NAMES as readonly string[]).includes(name)
}
