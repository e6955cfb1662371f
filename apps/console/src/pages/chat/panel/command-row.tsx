import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { commandOutputQuery, type CommandRecord, stopCommand } from '../../../data/session-work.ts'
import { showToast } from '../../../shell/toasts.tsx'
import { useFormat } from '../../../texts/format.ts'
import { useWords } from '../../../texts/language.ts'
import { Button } from '../../../ui/button.tsx'
import { panelWords } from './words.ts'

/** How often the output of a command that runs is read again. */
const FOLLOW_MS = 2_000

/** A command beside the conversation: all of it, how it stands, and what it printed last. */
export function CommandRow({ id, command }: { id: string; command: CommandRecord }) {
  const words = useWords(panelWords)
  const format = useFormat()
  const [isOpen, setOpen] = useState(false)
  const { task_id, status, exit_code, started_at, finished_at, failure } = command
  const isRunning = status === 'running'
  const { data } = useQuery({
    ...commandOutputQuery(id, task_id),
    enabled: isOpen,
    refetchInterval: isRunning ? FOLLOW_MS : false,
  })
  const { mutate: stop, isPending } = useMutation({
    mutationFn: () => stopCommand(id, task_id),
    onError: ({ message }) => showToast(message),
  })
  const took = finished_at ? format.duration(Date.parse(finished_at) - Date.parse(started_at)) : undefined
  return (
    <li className="flex flex-col gap-2" data-command={status}>
      <pre className="rounded-control bg-raised p-2 font-mono text-12 break-words whitespace-pre-wrap">
        {command.command}
      </pre>
      <div className="flex flex-wrap items-center gap-2 text-12 text-muted">
        <span className={status === 'failed' ? 'text-danger' : isRunning ? 'text-accent' : ''}>
          {words.commandStates[status]}
        </span>
        {exit_code ? <span>{words.exitCode(exit_code)}</span> : null}
        {took ? <span>{took}</span> : null}
        <time dateTime={started_at} title={format.absolute(started_at)}>
          {format.clock(started_at)}
        </time>
        <span className="grow" />
        {isRunning ? (
          <Button isBusy={isPending} onClick={() => stop()}>
            {words.stop}
          </Button>
        ) : null}
        <Button kind="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {words.output}
        </Button>
      </div>
      {failure ? <p className="text-12 text-danger">{failure}</p> : null}
      {isOpen && data ? (
        <pre
          tabIndex={0}
          className="max-h-[240px] overflow-auto rounded-control border border-line p-2 font-mono text-12 break-words whitespace-pre-wrap"
        >
          {data.output || words.noOutput}
        </pre>
      ) : null}
    </li>
  )
}
