import type { ClassHost } from './class-adapter.ts'
import type { ClassRun } from './class-run.ts'

const REQUIRED = ['getOnboardingInfo', 'generateConversation', 'sendMessage', 'shouldRefreshToken'] as const

const OPTIONAL = [
  'terminateConversation',
  'getConversations',
  'getConversationMessages',
  'deleteConversation',
  'renameConversation',
  'sendFeedback',
  'uploadAttachment',
  'answerQuestion',
  'answerConfirmation',
] as const

/** The methods of a subclass as functions; protected ones too, which only this place may reach for. */
export function hostOf(kit: object, { base, onRun }: { base: object; onRun: (run: ClassRun) => void }): ClassHost {
  const methods = kit as Record<string, unknown>
  const ancestors = base as Record<string, unknown>
  const bound = (name: string) => (methods[name] as (...args: unknown[]) => unknown).bind(kit)
  const own = OPTIONAL.filter((name) => typeof methods[name] === 'function' && methods[name] !== ancestors[name])
  const { commentLength } = methods
  return {
    name: kit.constructor.name,
    onRun,
    ...(typeof commentLength === 'number' && { commentLength }),
    ...Object.fromEntries([...REQUIRED, ...own].map((name) => [name, bound(name)])),
  } as ClassHost
}
