import { RoleType, type ChatState } from '@parley/chatkit'
import { useEffect, useState } from 'react'
import { FAILURE_BLOCK, type FailureBlock } from './display-messages.ts'
import type { ViewTexts } from './texts.ts'
import { useView } from './view-context.ts'

const READ_CHARACTERS = 200

/** Says what happens to people who cannot see it. The streaming text itself is in no live region. */
export function Announcer() {
  const { store, texts } = useView()
  const [said, setSaid] = useState('')
  useEffect(() => {
    let before: ChatState['status'] = store.getSnapshot().status
    return store.subscribe(() => {
      const state = store.getSnapshot()
      if (state.status === before) return
      const hasBegun = before === 'idle'
      before = state.status
      if (hasBegun) setSaid(texts.answering)
      else if (state.status === 'idle')
        setSaid(
          failureOf(state, texts) ??
            (isAsking(state)
              ? texts.question
              : `${texts.answerComplete}. ${lastText(state).slice(0, READ_CHARACTERS)}`),
        )
    })
  }, [store, texts])
  return (
    <div className="ck-hidden" role="status" aria-live="polite">
      {said}
    </div>
  )
}

function failureOf({ messages }: ChatState, texts: ViewTexts): string | undefined {
  const failure = messages.at(-1)?.content.find(({ type }) => type === FAILURE_BLOCK) as FailureBlock | undefined
  return failure && (failure.content.error?.userMessage ?? texts.failed)
}

function isAsking({ messages }: ChatState): boolean {
  const isWaiting = ({ content }: { content: unknown }) => (content as { state?: string } | null)?.state === 'waiting'
  return messages.at(-1)?.content.some(isWaiting) ?? false
}

function lastText({ messages }: ChatState): string {
  const last = messages.at(-1)
  if (last?.role.type !== RoleType.Assistant) return ''
  return last.content.map(({ type, content }) => (type === 'Markdown' ? String(content) : '')).join('')
}
