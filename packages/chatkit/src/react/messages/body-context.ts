import { createContext, type ComponentType } from 'react'
import type { ChatMessage } from '../../model/chat-message.ts'
import type { Joined } from './join-steps.ts'

/** Draws the blocks of a message; a sub-agent's messages are drawn by what draws the message around them. */
export const BodyContext = createContext<ComponentType<{ message: ChatMessage; joined?: Joined | undefined }> | null>(
  null,
)
