import { useEffect, useState } from 'react'
import type { ChatMessage, SubAgentBlock } from '../../model/chat-message.ts'
import { RoleType } from '../../model/role.ts'
import { textOfMessage } from '../../model/text-of-message.ts'
import type { ChatState } from '../../store/chat-state.ts'
import { failureText } from '../texts/failure-text.ts'
import { useKit, type KitOptions } from '../kit/kit-context.ts'

const QUIET_MS = 3000
const READ_CHARACTERS = 200

/**
 * Says what happens to people who cannot see it: that an answer has begun, that it is complete and how it starts, and
 * at once what failed or is asked. The streaming text itself is in no live region.
 */
export function LiveRegion() {
  const { store, options } = useKit()
  const [polite, setPolite] = useState('')
  const [urgent, setUrgent] = useState('')
  useEffect(() => {
    const announcer = createAnnouncer(options, setPolite, setUrgent)
    announcer.read(store.getSnapshot(), true)
    return store.subscribe(() => announcer.read(store.getSnapshot(), false))
  }, [store, options])
  return (
    <>
      <div className="ck-hidden" role="status" aria-live="polite">
        {polite}
      </div>
      <div className="ck-hidden" role="alert" aria-live="assertive">
        {urgent}
      </div>
    </>
  )
}

function createAnnouncer({ texts, announce }: KitOptions, say: (text: string) => void, shout: (text: string) => void) {
  let status: ChatState['status'] = 'idle'
  let isSaid = false
  let saidAt = 0
  let saidLength = 0
  const asked = new Set<string>()
  return {
    read(state: ChatState, isFirst: boolean): void {
      const last = state.messages.at(-1)
      const answer = last?.role.type === RoleType.Assistant ? last : undefined
      for (const key of waitingKeys(answer)) {
        if (!asked.has(key) && !isFirst) shout(texts.question)
        asked.add(key)
      }
      if (state.status !== 'idle' && answer && !isSaid) {
        isSaid = true
        saidLength = 0
        say(texts.answering(answer.role.name))
      }
      if (state.status === 'idle') isSaid = false
      if (state.status === 'streaming' && announce === 'stream' && answer) {
        const text = textOfMessage(answer)
        const end = sentenceEnd(text, saidLength)
        if (end > saidLength && Date.now() - saidAt >= QUIET_MS) {
          say(text.slice(saidLength, end))
          saidLength = end
          saidAt = Date.now()
        }
      }
      if (state.status === 'idle' && status !== 'idle' && answer) {
        if (answer.error) shout(failureText(answer.error, texts))
        const isRead = !answer.error && announce !== 'status'
        // Nobody is answering any more, also where nothing is read.
        say(isRead ? `${texts.answerComplete}. ${textOfMessage(answer).slice(0, READ_CHARACTERS)}` : '')
      }
      status = state.status
    },
  }
}

/** What waits for the user in a message, and in those of the sub-agents it started. */
function waitingKeys(message: ChatMessage | undefined): string[] {
  if (!message) return []
  return message.content.flatMap(({ type, key, content }, i): string[] => {
    if (type === 'SubAgent') return (content as SubAgentBlock['content']).messages.flatMap(waitingKeys)
    const isAsked = type === 'Question' || type === 'Confirmation'
    return isAsked && (content as { state?: string }).state === 'waiting' ? [`${message.messageID} ${key ?? i}`] : []
  })
}

function sentenceEnd(text: string, from: number): number {
  const match = /.*[.!?。！？\n]/su.exec(text.slice(from))
  return match ? from + match[0].length : from
}
