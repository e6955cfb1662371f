import type { Invitation, UserRole } from '@parley/protocol/rest'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { inviteUser } from '../../../data/users.ts'
import { useWords } from '../../../texts/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field, Select, TextInput } from '../../../ui/field.tsx'
import { userWords } from './words.ts'

type InviteDialogProps = { onClose: () => void; onInvited: (invitation: Invitation) => void }

/** Whom, and as what. */
export function InviteDialog({ onClose, onInvited }: InviteDialogProps) {
  const words = useWords(userWords)
  const [username, setUsername] = useState('')
  const [displayName, setDisplayName] = useState('')
  const [role, setRole] = useState<UserRole>('member')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => inviteUser({ username, role, ...(displayName.trim() && { display_name: displayName.trim() }) }),
    onSuccess: onInvited,
  })
  const form = 'invite'
  return (
    <Dialog
      title={words.inviteTitle}
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" type="submit" form={form} isBusy={isPending} disabled={!username.trim()}>
            {words.makeLink}
          </Button>
          <Button onClick={onClose}>{words.cancel}</Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-4 text-text"
        onSubmit={(event) => {
          event.preventDefault()
          mutate()
        }}
      >
        <Field label={words.username} hint={words.usernameHint} error={error?.message}>
          {(control) => (
            <TextInput
              {...control}
              data-focus
              autoComplete="off"
              maxLength={200}
              value={username}
              onChange={(event) => setUsername(event.target.value)}
            />
          )}
        </Field>
        <Field label={words.displayName}>
          {(control) => (
            <TextInput
              {...control}
              autoComplete="off"
              maxLength={200}
              value={displayName}
              onChange={(event) => setDisplayName(event.target.value)}
            />
          )}
        </Field>
        <Field label={words.role} hint={words.roleHints[role]}>
          {(control) => (
            <Select {...control} value={role} onChange={(event) => setRole(event.target.value as UserRole)}>
              <option value="member">{words.roles.member}</option>
              <option value="owner">{words.roles.owner}</option>
            </Select>
          )}
        </Field>
      </form>
    </Dialog>
  )
}
