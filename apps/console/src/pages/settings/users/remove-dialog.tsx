import type { User } from '@parley/protocol/rest'
import { useMutation } from '@tanstack/react-query'
import { removeUser } from '../../../data/users.ts'
import { showToast } from '../../../shell/toasts.tsx'
import { useWords } from '../../../texts/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { userWords } from './words.ts'

/** Says what goes with somebody before they go. */
export function RemoveDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const words = useWords(userWords)
  const name = user.display_name ?? user.username
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => removeUser(user),
    onSuccess() {
      onClose()
      showToast(words.removed(name))
    },
  })
  return (
    <Dialog
      title={words.removeTitle(name)}
      onClose={onClose}
      actions={
        <>
          <Button kind="danger" isBusy={isPending} onClick={() => mutate()}>
            {words.remove}
          </Button>
          <Button data-focus onClick={onClose}>
            {words.cancel}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p>{words.outAtOnce}</p>
        <p>{words.whatGoes}</p>
        {error ? (
          <p role="alert" className="text-danger">
            {error.message}
          </p>
        ) : null}
      </div>
    </Dialog>
  )
}
