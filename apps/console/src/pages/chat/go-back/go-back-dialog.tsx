import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { goBack, wayBackQuery } from '../../../data/checkpoints.ts'
import { showToast } from '../../../shell/toasts.tsx'
import { useWords } from '../../../texts/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Switch } from '../../../ui/field.tsx'
import { goBackWords } from './words.ts'

type GoBackDialogProps = {
  session_id: string
  turn_id: string
  /** The message goes back into the text box. */
  isAskingAgain: boolean
  onBack: () => void
  onClose: () => void
}

/** So many files are named. */
const NAMED = 5

/** Says what is undone before it is, waits for the server, and tells what it refuses. */
export function GoBackDialog({ session_id, turn_id, isAskingAgain, onBack, onClose }: GoBackDialogProps) {
  const words = useWords(goBackWords)
  const [withFiles, setWithFiles] = useState(true)
  const { data: way, error: unread, isPending } = useQuery(wayBackQuery(session_id, turn_id))
  const {
    mutate,
    isPending: isGoing,
    error,
  } = useMutation({
    mutationFn: (checkpoint_id: string) => goBack(session_id, checkpoint_id, withFiles),
    onSuccess({ removed_turns, files_problem }) {
      onClose()
      onBack()
      showToast(files_problem ? words.filesKept(files_problem) : words.done(removed_turns))
    },
  })
  const problem = error ?? unread
  return (
    <Dialog
      title={isAskingAgain ? words.askTitle : words.title}
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" disabled={!way} isBusy={isGoing} onClick={() => way && mutate(way.checkpoint_id)}>
            {isAskingAgain ? words.doAskAgain : words.doGoBack}
          </Button>
          <Button data-focus onClick={onClose}>
            {words.cancel}
          </Button>
        </>
      }
    >
      <div className="flex min-h-32 flex-col gap-3">
        {way ? (
          <>
            <div>
              <p>{words.messages(way.messages)}</p>
              <p>{words.kept}</p>
            </div>
            <div>
              <p>{way.files.length === 0 ? words.noFiles : words.files(way.files.length)}</p>
              <ul className="font-mono text-13 text-text">
                {way.files.slice(0, NAMED).map((path) => (
                  <li key={path} className="truncate">
                    {path}
                  </li>
                ))}
                {way.files.length > NAMED ? <li aria-hidden="true">…</li> : null}
              </ul>
              {way.commands > 0 ? <p>{words.commands(way.commands)}</p> : null}
            </div>
            <Switch
              label={words.withFiles}
              checked={withFiles}
              onChange={({ target }) => setWithFiles(target.checked)}
            />
          </>
        ) : null}
        {!way && !isPending && !unread ? <p role="alert">{words.gone}</p> : null}
        {problem ? (
          <p role="alert" className="text-13 text-danger">
            {problem.message}
          </p>
        ) : null}
      </div>
    </Dialog>
  )
}
