import { Markdown } from '../../markdown/markdown.tsx'
import type { PlanBlock, TasksBlock } from '../../model/agent-blocks.ts'
import { Icon } from '../icon.tsx'
import { useTexts, type BlockProps } from '../kit-context.ts'

export function PlanBlockView({ block }: BlockProps<PlanBlock>) {
  const texts = useTexts()
  const { status, plan, steps = [] } = block.content
  return (
    <section className="ck-card ck-plan" aria-label={texts.plan}>
      <p className="ck-card-head">
        <Icon name="plan" />
        {texts.plan}
        <span className="ck-state" data-status={status}>
          {texts.taskStatus[status] ?? status}
        </span>
      </p>
      {plan ? <Markdown text={plan} dir="auto" /> : null}
      <Checklist items={steps} />
    </section>
  )
}

export function TasksBlockView({ block }: BlockProps<TasksBlock>) {
  const texts = useTexts()
  return (
    <section className="ck-card ck-tasks" aria-label={texts.tasks}>
      <p className="ck-card-head">
        <Icon name="plan" />
        {texts.tasks}
      </p>
      <Checklist items={block.content.tasks} />
    </section>
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
