import { type ChatMessage as Message, useChatState } from '@parley/chatkit'
import { useEffect } from 'react'
import { tick } from './first-steps.ts'

/** When the first message of this page left. */
let begun: number | undefined

/** Watches a conversation for what ticks a step, also when it was done by hand. */
export function useFacts(): void {
  const talked = useChatState(({ messages, status }) => status === 'idle' && messages.some(isDoneAnswer))
  const usedTool = useChatState(({ messages }) => messages.some(({ content }) => content.some(isDoneTool)))
  const decided = useChatState(({ messages }) => messages.some(({ content }) => content.some(isDecided)))
  const isRunning = useChatState(({ status }) => status !== 'idle')
  useEffect(() => {
    if (isRunning) begun ??= performance.now()
    if (talked) tick('talk', begun === undefined ? undefined : performance.now() - begun)
    if (usedTool) tick('tool')
    if (decided) tick('approve')
  }, [isRunning, talked, usedTool, decided])
}

function isDoneAnswer({ role, status, content }: Message): boolean {
  return role.type === 'Assistant' && status === 'completed' && content.length > 0
}

function isDoneTool({ type, content }: Message['content'][number]): boolean {
  return type === 'Tool' && (content as { status?: string }).status === 'done'
}

export function isAsking({ type, content }: Message['content'][number]): boolean {
  return type === 'Confirmation' && (content as { state?: string }).state === 'waiting'
}

function isDecided({ type, content }: Message['content'][number]): boolean {
  return type === 'Confirmation' && (content as { state?: string }).state === 'answered'
}
