import type { ChatMessage } from '../model/chat-message.ts'
import type { BranchPoint, ChatState } from './chat-state.ts'

const MAX_VERSIONS = 20

type Branched = Pick<ChatState, 'messages' | 'branches'>

/** Cuts the list before `index` and keeps what stood there as an older version. */
export function forkAt(state: Branched, index: number): Branched {
  const tail = state.messages.slice(index)
  const messages = state.messages.slice(0, index)
  if (tail.length === 0) return { messages, branches: state.branches }
  const parentID = parentOf(state.messages, index)
  const point = state.branches[parentID] ?? { versions: [[]], active: 0 }
  // A failed attempt that showed nothing is not worth going back to: its place is taken over.
  const isEmptyFailure = tail.length === 1 && tail[0]?.status === 'failed' && tail[0].content.length === 0
  const kept = isEmptyFailure ? point.versions.toSpliced(point.active, 1) : point.versions.with(point.active, tail)
  const versions = [...kept.slice(-(MAX_VERSIONS - 1)), []]
  return { messages, branches: { ...state.branches, [parentID]: { versions, active: versions.length - 1 } } }
}

/** Shows another version of the message, and of everything after it. Unknown ones change nothing. */
export function selectBranch(state: Branched, messageID: string, version: number): Branched {
  const index = state.messages.findIndex((message) => message.messageID === messageID)
  const parentID = parentOf(state.messages, index)
  const point = state.branches[parentID]
  const chosen = point?.versions[version]
  if (index < 0 || !point || !chosen || version === point.active) return state
  const versions = point.versions.with(point.active, state.messages.slice(index)).with(version, [])
  return {
    messages: [...state.messages.slice(0, index), ...chosen],
    branches: { ...state.branches, [parentID]: { versions, active: version } },
  }
}

/** "2 / 3" for a message that has versions, else undefined. Counts from 1. */
export function branchOf(state: Branched, messageID: string): { current: number; count: number } | undefined {
  const index = state.messages.findIndex((message) => message.messageID === messageID)
  const point: BranchPoint | undefined = index < 0 ? undefined : state.branches[parentOf(state.messages, index)]
  if (!point || point.versions.length < 2) return undefined
  return { current: point.active + 1, count: point.versions.length }
}

/** What the back end calls this version, where it keeps them. */
export function versionIDOf(state: Branched, messageID: string, version: number): string | undefined {
  const index = state.messages.findIndex((message) => message.messageID === messageID)
  return state.branches[parentOf(state.messages, index)]?.ids?.[version]
}

function parentOf(messages: readonly ChatMessage[], index: number): string {
  return messages[index - 1]?.messageID ?? ''
}
