import type { Invitation } from '@parley/protocol/rest'
import { useFormat } from '../../../texts/format.ts'
import { useWords } from '../../../texts/language.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field, TextInput } from '../../../ui/field.tsx'
import { userWords } from './words.ts'

/** The link that lets somebody in, the one time that it can be read. */
export function LinkDialog({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const words = useWords(userWords)
  const format = useFormat()
  const { user, url, expires_at } = invitation
  return (
    <Dialog
      title={words.linkTitle(user.display_name ?? user.username)}
      onClose={onClose}
      actions={
        <>
          <CopyButton text={url} label={words.copyLink} />
          <Button onClick={onClose}>{words.saved}</Button>
        </>
      }
    >
      <Field label={words.link} hint={words.linkHint(`${format.day(expires_at)} ${format.clock(expires_at)}`)}>
        {(control) => (
          <TextInput {...control} data-focus readOnly value={url} onFocus={(event) => event.currentTarget.select()} />
        )}
      </Field>
    </Dialog>
  )
}
