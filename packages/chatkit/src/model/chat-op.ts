import type { BranchPoint } from '../store/chat-state.ts'
import type { ChatMode } from './chat-adapter.ts'
import type { ChatKitError } from './chat-kit-error.ts'
import type { Block, ChatMessageInput, MessageContext } from './chat-message.ts'

/** A block with its identity, as adapters write them. */
export type KeyedBlock = Block & { key: string }

/** What an adapter says about the run: the only way anything reaches the message list. Blocks are upserts by key. */
export type ChatOp =
  /** The platform named the conversation; ignored when it already has a name. */
  | { op: 'conversation'; id: string }
  /** The platform named the run's assistant message. */
  | { op: 'message'; id: string }
  /** What `stop` needs to name the run. */
  | { op: 'handle'; value: unknown }
  /** The complete text of a segment; replaces what deltas built. */
  | { op: 'text'; key: string; text: string }
  | { op: 'text_delta'; key: string; delta: string }
  | { op: 'reasoning'; key: string; text: string }
  | { op: 'reasoning_delta'; key: string; delta: string }
  /** A new one stands right behind the block with the key `after`, else at the end. */
  | { op: 'block'; block: KeyedBlock; after?: string }
  | { op: 'context'; patch: Partial<MessageContext> }
  /** An action for the host page, delivered once per id. One call may have several; without one the id stands for it. */
  | { op: 'bridge'; action: string; payload: unknown; id: string; toolCallID?: string }
  /** The whole message list, for platforms that send or keep it. Unchanged messages should be the same objects. */
  | { op: 'messages'; messages: ChatMessageInput[] }
  /** The versions that the platform keeps, by the id of the message before the first one that differs. */
  | { op: 'branches'; branches: Readonly<Record<string, BranchPoint>> }
  /** The connection was lost and is being resumed, or is back. */
  | { op: 'connection'; state: 'reconnecting' | 'connected' }
  /** A run that was not begun here is under way in the conversation, or is over. */
  | { op: 'active'; isActive: boolean }
  /** The conversation is in this mode now, whoever changed it. */
  | { op: 'mode'; mode: ChatMode }
  | { op: 'end'; status?: 'completed' | 'stopped' }
  | { op: 'error'; error: ChatKitError }
