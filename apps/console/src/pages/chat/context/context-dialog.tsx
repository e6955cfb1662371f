import type { ContextStats } from '@parley/protocol/rest'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { compactSession } from '../../../data/context.ts'
import { showToast } from '../../../shell/toasts.tsx'
import { useFormat } from '../../../texts/format.ts'
import { useWords } from '../../../texts/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { contextWords } from './words.ts'

type ContextDialogProps = { id: string; stats: ContextStats; onClose: () => void }

const PARTS = ['system_prompt_tokens', 'tools_tokens', 'messages_tokens'] as const

/** What the model is given each time, by what takes the room; earlier turns can become a summary. */
export function ContextDialog({ id, stats, onClose }: ContextDialogProps) {
  const words = useWords(contextWords)
  const format = useFormat()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => compactSession(id),
    onSuccess() {
      onClose()
      showToast(words.compacted)
    },
  })
  const { used_tokens, context_window, compaction_count, estimated, model } = stats
  return (
    <Dialog
      title={words.title}
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" isBusy={isPending} onClick={() => mutate()}>
            {words.compact}
          </Button>
          <Button onClick={onClose}>{words.close}</Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p>{words.used(format.number(used_tokens), format.number(context_window), model)}</p>
        <ul className="flex flex-col gap-3 text-13 text-text">
          {PARTS.map((part) => (
            <li key={part} className="flex flex-col gap-1">
              <span className="flex justify-between gap-4">
                {words.parts[part]} <span className="text-muted">{format.number(stats[part])}</span>
              </span>
              <span aria-hidden="true" className="h-1 overflow-hidden rounded-full bg-selected">
                <span
                  className="block h-full bg-control"
                  style={{ inlineSize: `${Math.min(100, (100 * stats[part]) / context_window)}%` }}
                />
              </span>
            </li>
          ))}
        </ul>
        <p className="text-13">
          {compaction_count > 0 ? `${words.before(compaction_count)} ` : ''}
          {estimated ? words.estimated : words.counted}
        </p>
        <p className="text-13">{words.compactText}</p>
        {isPending ? <Compacting /> : null}
        {error ? (
          <p role="alert" className="text-13 text-danger">
            {error.message}
          </p>
        ) : null}
      </div>
    </Dialog>
  )
}

/** How long it has been under way. */
function Compacting() {
  const words = useWords(contextWords)
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <p role="timer" className="text-13">
      {words.compacting(seconds)}
    </p>
  )
}
