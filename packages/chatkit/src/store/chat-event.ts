import type { ApplicationContext, OnboardingInfo } from '../model/application-context.ts'
import type { Attachment, ChatMode } from '../model/chat-adapter.ts'
import type { ChatKitError } from '../model/chat-kit-error.ts'
import type { ChatMessage } from '../model/chat-message.ts'
import type { ChatOp } from '../model/chat-op.ts'
import type { ConversationHistory } from '../model/conversation-history.ts'
import type { QueuedMessage } from './chat-state.ts'

/** Everything that can happen to what the kit shows. Each says what happened; only the reducer knows what that changes. */
export type ChatEvent = RunEvent | ConversationEvent | MessageEvent | InputEvent | ListEvent

type RunEvent =
  | { type: 'run:start'; runID: string }
  /** The run's messages enter the list; `forkAt` puts them in the place of what stood there. */
  | { type: 'run:show'; messages: ChatMessage[]; messageID: string; forkAt?: number }
  | { type: 'run:ops'; ops: readonly ChatOp[] }
  | { type: 'run:end'; status: 'completed' | 'stopped' | 'failed'; error?: ChatKitError }
  /** The run ends without a trace: its conversation is no longer the one shown, or is read anew. */
  | { type: 'run:abandon'; goesOn: boolean }

type ConversationEvent =
  | { type: 'conversation:open'; id: string; messages: ChatMessage[] }
  /** A fresh one: what was injected and added for the one before is gone too. */
  | { type: 'conversation:new' }
  /** The one that is shown got its id; its messages stay. */
  | { type: 'conversation:name'; id: string }
  /** It could not be started or opened. */
  | { type: 'conversation:fail'; error: ChatKitError }
  | { type: 'onboarding:load' }
  | { type: 'onboarding:show'; info: OnboardingInfo }

type MessageEvent =
  | { type: 'message:ops'; messageID: string; ops: readonly ChatOp[] }
  /** The back end never got them, and something else takes their place. */
  | { type: 'message:withdraw'; messages: readonly ChatMessage[] }
  | { type: 'branch:select'; messageID: string; version: number }

/** What the next message will be. */
type InputEvent =
  | { type: 'input:write'; text: string }
  | { type: 'input:attach'; attachment: Attachment }
  /** This much goes out with a message, or is thrown away; what was written and added since then stays. */
  | { type: 'input:detach'; index: number }
  | { type: 'input:take'; text: string; attachments: readonly Attachment[] }
  | { type: 'context:inject'; context: ApplicationContext | undefined }
  | { type: 'context:default'; context: ApplicationContext | undefined }
  | { type: 'mode:choose'; mode: ChatMode }
  | { type: 'queue:add'; message: QueuedMessage }
  | { type: 'queue:remove'; ids: readonly string[] }

/** The list of conversations. */
type ListEvent =
  | { type: 'list:load' }
  /** `isFirst`: what was listed before is old. */
  | { type: 'list:show'; items: ConversationHistory[]; isFirst: boolean; hasMore: boolean }
  | { type: 'list:fail'; error: ChatKitError }
  | { type: 'list:remove'; id: string }
  | { type: 'list:rename'; id: string; title: string }
