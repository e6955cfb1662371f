import type { AgentSessionState } from '@parley/client'
import { isUserMessage } from '@parley/protocol'
import type { Checkpoint } from '@parley/protocol/rest'
import type { ChatMessage } from '../../model/chat-message.ts'
import { RoleType } from '../../model/role.ts'
import type { ChatState } from '../../store/chat-state.ts'

type Branches = ChatState['branches']

/** What the server told of all branches, so that it need not be searched for every word of an answer. */
export type Versions = {
  readonly byTurn: ReadonlyMap<string, Checkpoint>
  readonly byParent: ReadonlyMap<string | null, readonly Checkpoint[]>
}

export const NO_VERSIONS: Versions = { byTurn: new Map(), byParent: new Map() }

export function indexVersions(checkpoints: readonly Checkpoint[]): Versions {
  const byParent = new Map<string | null, Checkpoint[]>()
  for (const one of checkpoints) byParent.set(one.parent_turn_id, [...(byParent.get(one.parent_turn_id) ?? []), one])
  return { byTurn: new Map(checkpoints.map((one) => [one.turn_id, one])), byParent }
}

/**
 * Which versions there are of the messages that are shown. The server has versions of the user's messages. Those with
 * the same words differ in their answers, so they are chosen below the answer; other words below the message.
 */
export function versionsOf(messages: readonly ChatMessage[], { byTurn, byParent }: Versions): Branches {
  const branches: Record<string, Branches[string]> = {}
  const put = (before: ChatMessage | undefined, versions: readonly Checkpoint[], own: Checkpoint) => {
    if (versions.length < 2) return
    const ids = versions.map(({ checkpoint_id }) => checkpoint_id)
    branches[before?.messageID ?? ''] = { versions: ids.map(() => []), active: versions.indexOf(own), ids }
  }
  for (const [at, message] of messages.entries()) {
    const own = byTurn.get(message.messageID)
    if (!own) continue
    const all = byParent.get(own.parent_turn_id)!
    const alike = all.filter(({ label }) => label === own.label)
    const isAnswered = messages[at + 1]?.role.type === RoleType.Assistant
    put(messages[at - 1], isAnswered ? wordings(all, own) : all, own)
    if (isAnswered) put(message, alike, own)
  }
  return branches
}

/** One for each wording: the one that is shown, else the newest. */
function wordings(all: readonly Checkpoint[], own: Checkpoint): Checkpoint[] {
  const byLabel = new Map<string, Checkpoint>()
  for (const one of all) if (one.label !== own.label || one === own) byLabel.set(one.label, one)
  const order = all.map(({ label }) => label)
  return [...byLabel.values()].sort((a, b) => order.indexOf(a.label) - order.indexOf(b.label))
}

type Read = (signal: AbortSignal) => Promise<Checkpoint[]>

/** Looks at every state of a session and reads its versions when there may be others than before. */
export function createVersionsReader(read: Read, show: (found: Checkpoint[]) => void) {
  let known = ''
  return ({ branch, turns, connection }: AgentSessionState, signal: AbortSignal): void => {
    // What could not be read is read again with the next connection.
    if (connection !== 'connected') known = ''
    if (connection !== 'connected' || !branch || isWhole(branch)) return
    const now = `${branch.branch_id} ${turns.findLast(isUserMessage)?.turn_id}`
    if (now === known) return
    known = now
    read(signal).then(
      (found) => {
        if (now === known && !signal.aborted) show(found)
      },
      () => {},
    )
  }
}

/** No turn lies beside it, so there is nothing but what is shown. */
function isWhole({ path }: NonNullable<AgentSessionState['branch']>): boolean {
  return path.length === 1 && path[0]?.from === 0 && path[0].to === null
}
