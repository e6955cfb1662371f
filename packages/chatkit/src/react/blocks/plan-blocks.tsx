import { Markdown } from '../../markdown/markdown.tsx'
import type { PlanBlock, TasksBlock } from '../../model/agent-blocks.ts'
import type { ChatMessage } from '../../model/chat-message.ts'
import { isUserMessage } from '../clipboard.ts'
import { Icon } from '../icon.tsx'
import { useKit, useTexts, type BlockProps } from '../kit-context.ts'
import { useChatState } from '../use-chat-kit.ts'

export function PlanBlockView({ block, message }: BlockProps<PlanBlock>) {
  const texts = useTexts()
  const { status, plan, steps = [] } = block.content
  return (
    <div role="group" className="ck-card ck-plan" aria-label={texts.plan}>
      <p className="ck-card-head">
        <Icon name="plan" />
        {texts.plan}
        <span className="ck-state" data-status={status}>
          {texts.taskStatus[status] ?? status}
        </span>
      </p>
      {plan ? <Markdown text={plan} dir="auto" /> : null}
      <Checklist items={steps} />
      {status === 'proposed' ? <CarryOut messageID={message.messageID} /> : null}
    </div>
  )
}

/** Below the newest plan, while nothing has come of it. */
function CarryOut({ messageID }: { messageID: string }) {
  const { store, options } = useKit()
  const isOpen = useChatState(
    ({ messages, mode, run, isActiveElsewhere }) =>
      mode === 'planning' &&
      !run &&
      !isActiveElsewhere &&
      messages.findLastIndex(isUserMessage) < indexOf(messages, messageID),
  )
  if (!isOpen || !store.adapter.hasPlanning) return null
  const carryOut = () => {
    store.setMode('executing')
    void store.send(options.texts.carryOutMessage).catch(() => {}) // The list shows it.
  }
  return (
    <div className="ck-card-actions">
      <button type="button" className="ck-button ck-primary" onClick={carryOut}>
        {options.texts.carryOut}
      </button>
    </div>
  )
}

const indexOf = (messages: readonly ChatMessage[], id: string) =>
  messages.findLastIndex(({ messageID }) => messageID === id)

export function TasksBlockView({ block }: BlockProps<TasksBlock>) {
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
          <span>{title}</span>
        </li>
      ))}
    </ul>
  )
}
