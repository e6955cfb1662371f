import { dropImport, type Import, tryAgain } from '../../data/imports.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Progress } from '../../ui/progress.tsx'
import { knowledgeWords } from './words.ts'

/** A file on its way: how far it is, or why it did not arrive. */
export function ImportRow({ item: { id, file, state, share, reason } }: { item: Import }) {
  const words = useWords(knowledgeWords)
  const format = useFormat()
  const isFailed = state === 'failed'
  return (
    <li
      data-import={file.name}
      data-state={state}
      className="flex min-h-13 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-2 text-13"
    >
      <div className="min-w-0 grow basis-1/2">
        <span className="block truncate" title={file.name}>
          {file.name}
        </span>
        {isFailed ? (
          <span role="alert" className="block break-words text-12 text-danger">
            {words.failedBecause(reason ?? '')}
          </span>
        ) : (
          <span className="block text-12 text-muted">{format.bytes(file.size)}</span>
        )}
      </div>
      {isFailed ? null : (
        <div className="flex w-40 items-center gap-3">
          <Progress label={words.progressOf(file.name)} share={share} />
          <span className="w-16 flex-none text-right text-12 text-muted">
            {state === 'sending' ? format.percent(share) : words.states[state]}
          </span>
        </div>
      )}
      <div className="flex gap-1">
        {isFailed ? <Button onClick={() => tryAgain(id)}>{words.again}</Button> : null}
        <Button kind="quiet" onClick={() => dropImport(id)}>
          {isFailed ? words.forget : words.cancel}
        </Button>
      </div>
    </li>
  )
}
