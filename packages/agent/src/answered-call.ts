import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Asked, InProcess } from '@parley/server/in-process'
import type { ChatOptions } from './chat-options.ts'
import type { PluginManager } from './plugins/plugin-manager.ts'
import { maskedBy } from './shown-event.ts'

type Given = NonNullable<ChatOptions['pendingConfirmation']>
type Tools = Pick<PluginManager, 'getTool'>

/** What a message answers. `rebuild`: nobody here has asked for that call, so it has to be asked for first. */
export type Answered = { sessionId: string; pendingConfirmation: Record<string, unknown>; rebuild: boolean }

/** How far the time of an asking may be from the time that its caller keeps. */
const SAME_MOMENT_MS = 5_000

/**
 * Finds what a caller answers who may know the session, the id of the confirmation, both or neither. Arguments go back as
 * they are stored, where they are the ones that the caller was shown.
 */
export async function answeredCall(
  given: Given,
  sessionId: string | undefined,
  { core, tools }: { core: InProcess; tools: Tools },
): Promise<Answered> {
  const { toolName, timestamp, userMessage, arguments: shown } = given
  const confirmationId = 'confirmationId' in given ? given.confirmationId : undefined
  const time = new Date(timestamp)
  const asked = await core.asked(confirmationId === undefined ? { toolName } : { confirmationId })
  const isMeant = (one: Asked) =>
    one.toolName === toolName &&
    isDeepStrictEqual(plain(maskedBy(tools, toolName, one.arguments)), plain(shown)) &&
    isThere(one, sessionId, confirmationId === undefined ? time.getTime() : one.askedAt)
  const meant = asked.find((one) => one.isPending && isMeant(one)) ?? asked.find(isMeant)
  const named = sessionId ?? meant?.sessionId ?? rebuiltName(given)
  return {
    sessionId: named,
    pendingConfirmation: {
      ...{ toolName, userMessage, timestamp: time.toISOString(), arguments: meant?.arguments ?? shown },
      ...(confirmationId !== undefined && { confirmationId }),
    },
    rebuild: confirmationId === undefined && !meant && !(await core.hasSession(named)),
  }
}

/** Who names no session means the asking of that moment. */
function isThere(one: Asked, sessionId: string | undefined, at: number): boolean {
  if (sessionId !== undefined) return one.sessionId === sessionId || one.session_id === sessionId
  return Math.abs(one.askedAt - at) <= SAME_MOMENT_MS
}

/** The same for the same confirmation: whoever answers twice meets the session of the first answer, where nothing waits. */
function rebuiltName({ toolName, arguments: args, userMessage, timestamp }: Given): string {
  const text = JSON.stringify([toolName, args, userMessage, new Date(timestamp).toISOString()])
  return `rebuilt_${createHash('sha256').update(text).digest('hex').slice(0, 40)}`
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null))
}
