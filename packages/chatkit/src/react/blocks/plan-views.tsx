import { useRef } from 'react'
import { findTextBox } from '../composer/find-text-box.ts'
import { Markdown } from '../../markdown/markdown.tsx'
import type { PlanBlock, TasksBlock } from '../../model/agent-blocks.ts'
import type { ChatMessage } from '../../model/chat-message.ts'
import type { SendOptions } from '../../store/sending.ts'
import { isUserMessage } from '../messages/clipboard.ts'
import { Disclosure } from '../controls/disclosure.tsx'
import { Icon } from '../controls/icon.tsx'
import { useKit, useTexts, type BlockProps } from '../kit/kit-context.ts'
import { useChatState } from '../kit/use-chat-kit.ts'
import { withoutSteps } from './without-steps.ts'

/** A plan: what it says beyond its steps, the steps and how far they are, and what the reader makes of it. */
export function PlanView({ block, message }: BlockProps<PlanBlock>) {
  const texts = useTexts()
  const { status, plan = '', steps = [], planID, isSuperseded } = block.content
  // A server that names its plans tells what became of them.
  const isPassedOver = useChatState(
    ({ messages, mode }) =>
      !planID && mode === 'planning' && hasReply(messages, message.messageID) && status === 'proposed',
  )
  const shown = isSuperseded ? 'superseded' : isPassedOver ? 'rejected' : status
  const text = withoutSteps(plan, steps)
  return (
    <div role="group" className="ck-card ck-plan" aria-label={texts.plan}>
      <p className="ck-card-head">
        <Icon name="plan" />
        {texts.plan}
        <span className="ck-state" data-status={shown === 'proposed' ? 'awaiting_answer' : shown}>
          {texts.planStatus[shown] ?? shown}
        </span>
      </p>
      {text === '' ? null : shown === 'proposed' || steps.length === 0 ? (
        <Markdown text={text} dir="auto" />
      ) : (
        <Disclosure icon="page" title={texts.details}>
          <Markdown text={text} dir="auto" />
        </Disclosure>
      )}
      <Checklist items={steps} />
      {status === 'proposed' ? <Decision messageID={message.messageID} isNamed={planID !== undefined} /> : null}
    </div>
  )
}

/** Below the newest plan, while nothing has come of it: carry it out, say what to change, or refuse it. */
function Decision({ messageID, isNamed }: { messageID: string; isNamed: boolean }) {
  const { store, options } = useKit()
  const { texts } = options
  const bar = useRef<HTMLDivElement>(null)
  const isOpen = useChatState(
    ({ messages, mode, run, isActiveElsewhere }) =>
      !run && !isActiveElsewhere && (isNamed || (mode === 'planning' && !hasReply(messages, messageID))),
  )
  if (!isOpen || !store.adapter.hasPlanning) return null
  const send = (text: string, settings: SendOptions = {}) => void store.send(text, settings).catch(() => {}) // The list shows it.
  const carryOut = () => {
    store.setMode('executing')
    send(texts.carryOutMessage)
  }
  const change = () => {
    store.setMode('planning')
    if (store.getSnapshot().textInput.trim() === '') store.setTextInput(texts.changePlanStart)
    const root = bar.current?.closest('.ck-root')
    if (root) findTextBox(root)?.focus()
  }
  const refuse = () => {
    store.setMode('planning')
    send(texts.refusePlanMessage, isNamed ? { planDecision: 'reject' } : {})
  }
  return (
    <div ref={bar} className="ck-card-actions">
      <button type="button" className="ck-button ck-primary" onClick={carryOut}>
        {texts.carryOut}
      </button>
      <button type="button" className="ck-button" onClick={change}>
        {texts.changePlan}
      </button>
      <button type="button" className="ck-button" onClick={refuse}>
        {texts.refusePlan}
      </button>
    </div>
  )
}

const hasReply = (messages: readonly ChatMessage[], messageID: string): boolean =>
  messages.findLastIndex(isUserMessage) > messages.findLastIndex((message) => message.messageID === messageID)

export function TasksView({ block }: BlockProps<TasksBlock>) {
  const texts = useTexts()
  return (
    <div role="group" className="ck-card ck-tasks" aria-label={texts.tasks}>
      <p className="ck-card-head">
        <Icon name="plan" />
        {texts.tasks}
      </p>
      <Checklist items={block.content.tasks} />
    </div>
  )
}

function Checklist({ items }: { items: readonly { id: string; title: string; status: string }[] }) {
  const texts = useTexts()
  if (items.length === 0) return null
  return (
    <ul className="ck-checklist">
      {items.map(({ id, title, status }) => (
        <li key={id} data-status={status}>
          <span
            className="ck-task-box"
            role="img"
            aria-label={texts.taskStatus[status] ?? status}
            data-checked={status === 'completed'}
          />
          <span dir="auto">{title}</span>
        </li>
      ))}
    </ul>
  )
}
