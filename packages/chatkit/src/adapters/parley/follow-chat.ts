import type { AgentSession, Checkpoint } from '@parley/client'
import type { AdapterIO, ChatMode } from '../../model/chat-adapter.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import { type AskSuggestions, createSuggestionsAsker } from './ask-suggestions.ts'
import { followSession } from './follow-session.ts'
import { bridgeOps } from './run-session.ts'
import type { SessionExtras } from './session-extras.ts'
import { createVersionsReader } from './message-versions.ts'
import type { TurnTeller } from './session-views.ts'

type FollowParts = {
  io: AdapterIO
  tell: TurnTeller
  reopen: () => Promise<void>
  extras: SessionExtras
  versions: (signal: AbortSignal) => Promise<Checkpoint[]>
  /** Absent: nobody wants suggestions. */
  suggestions?: AskSuggestions | undefined
}
type Told = { mode: ChatMode | null; isStreaming: boolean; branch: string | undefined }

/** What happens in a session without us: other tabs, other people, a run that was under way before this page was loaded. */
export async function* followChat(
  session: AgentSession,
  { io, tell, reopen, extras, versions, suggestions = async () => null }: FollowParts,
): AsyncGenerator<ChatOp> {
  using followed = session
  /** A token is renewed once for each connection that was lost over it; what does not help is told by the next message. */
  let mayReopen = true
  /** What was there at first is history: its actions were carried out when it happened. */
  const old = new Set<string>()
  /** What began while we looked on. */
  const live = new Set<string>()
  followed.on('turn:start', ({ turn_id }) => live.add(turn_id))
  let told = null as Told | null
  const readVersions = createVersionsReader(versions, (found) => extras.keepVersions(found))
  const askWhatNext = createSuggestionsAsker(suggestions, ({ turn_id, suggestions }) =>
    extras.suggest(turn_id!, suggestions),
  )
  const states = followSession(followed, io.signal, extras.subscribe)
  for await (const state of states) {
    const { turns, tasks, mode, isReady, isStreaming, connection } = state
    if (connection === 'connected') mayReopen = true
    if (connection === 'refused' && mayReopen) {
      mayReopen = false
      await reopen().catch(() => {})
      continue // What was known before is old by now.
    }
    if (!isReady) continue
    askWhatNext({ turns, isStreaming }, io.signal)
    readVersions(state, io.signal)
    yield* tell(turns, tasks)
    // Only what changed: the user may have chosen another mode for the next message.
    if (mode && mode !== told?.mode) yield { op: 'mode', mode }
    if (isStreaming !== told?.isStreaming) yield { op: 'active', isActive: isStreaming }
    const branch = state.branch?.branch_id
    if (!told) for (const { turn_id, status } of turns) if (status !== 'streaming') old.add(turn_id)
    // So is what another branch holds.
    if (told && branch !== told.branch) for (const { turn_id } of turns) if (!live.has(turn_id)) old.add(turn_id)
    for (const turn of turns) if (!old.has(turn.turn_id)) yield* bridgeOps(turn)
    told = { mode, isStreaming, branch }
  }
}
