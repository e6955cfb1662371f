import type { Task } from '@parley/protocol'
import { useQuery } from '@tanstack/react-query'
import { Check, Circle, LoaderCircle, Minus } from '../../../ui/icons.tsx'
import { commandsQuery, tasksQuery } from '../../../data/session-work.ts'
import { useWords } from '../../../texts/language.ts'
import { Empty, Failure, Skeleton } from '../../../ui/states.tsx'
import { CommandRow } from './command-row.tsx'
import { panelWords } from './words.ts'

const MARKS = { pending: Circle, in_progress: LoaderCircle, completed: Check, cancelled: Minus } as const

/** What the agent has set out to do, and the commands that go on beside the conversation. */
export function TasksPanel({ id }: { id: string }) {
  const words = useWords(panelWords)
  const tasks = useQuery(tasksQuery(id))
  const commands = useQuery(commandsQuery(id))
  const error = tasks.error ?? commands.error
  const again = () => void Promise.all([tasks.refetch(), commands.refetch()])
  if (error && !(tasks.data && commands.data)) return <Failure error={error} retry={again} />
  if (!tasks.data || !commands.data) return <Skeleton />
  if (tasks.data.length + commands.data.length === 0) return <Empty title={words.noTasks}>{words.noTasksText}</Empty>
  return (
    <div className="flex min-h-0 grow flex-col gap-6 overflow-y-auto p-4">
      {tasks.data.length > 0 ? (
        <section className="flex flex-col gap-2">
          <h2 className="text-12 font-medium text-muted">{words.tasks}</h2>
          <ul className="flex flex-col gap-2">
            {tasks.data.map((task) => (
              <TaskRow key={task.id} task={task} />
            ))}
          </ul>
        </section>
      ) : null}
      {commands.data.length > 0 ? (
        <section className="flex flex-col gap-2">
          <h2 className="text-12 font-medium text-muted">{words.commands}</h2>
          <ul className="flex flex-col gap-4">
            {commands.data.map((command) => (
              <CommandRow key={command.task_id} id={id} command={command} />
            ))}
          </ul>
        </section>
      ) : null}
    </div>
  )
}

function TaskRow({ task: { title, description, status } }: { task: Task }) {
  const words = useWords(panelWords)
  const Mark = MARKS[status]
  const isOver = status === 'completed' || status === 'cancelled'
  return (
    <li className="flex gap-2 text-13" data-task={status}>
      <Mark
        size={16}

        aria-hidden="true"
        className={`mt-0.5 flex-none ${status === 'completed' ? 'text-success' : status === 'in_progress' ? 'text-accent' : 'text-muted'}`}
      />
      <span className="min-w-0 break-words">
        <span className="sr-only">{words.states[status]}: </span>
        <span className={isOver ? 'text-muted' : 'font-medium'}>{title}</span>
        {description ? <span className="block text-12 text-muted">{description}</span> : null}
      </span>
    </li>
  )
}
