import type { InboxConfirmation } from '@parley/protocol/rest'
import { ParleyApiError } from '@parley/client'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { decide } from '../../data/inbox.ts'
import { useIsConnected } from '../../data/live/connected.ts'
import { showToast } from '../../shell/toasts.tsx'
import { useShortcuts } from '../../shell/use-shortcuts.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { approvalWords } from './words.ts'

/** A key that is pressed before anybody can have read what it would agree to was meant for what stood here before. */
const LOOK_MS = 400
const MAX_REASON = 2_000

type BarProps = {
  item: InboxConfirmation
  /** The end of what would run has been on screen. */
  isRead: boolean
  onDecided: () => void
}

/** Approve, reject, edit first. Nothing is shown as decided before the server has said so. */
export function DecideBar({ item, isRead, onDecided }: BarProps) {
  const words = useWords(approvalWords)
  const format = useFormat()
  const isConnected = useIsConnected()
  const [busy, setBusy] = useState<'approve' | 'reject' | null>(null)
  const [form, setForm] = useState<'reject' | 'edit' | null>(null)
  const [problem, setProblem] = useState('')
  const approveButton = useRef<HTMLButtonElement>(null)
  const [isLookedAt, setLookedAt] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLookedAt(true), LOOK_MS)
    return () => clearTimeout(timer)
  }, [])
  const isHigh = item.risk === 'high'
  const mayApprove = isConnected && busy === null && (!isHigh || isRead)

  const send = async (
    decision: 'approve' | 'reject',
    more: { reason?: string; edited_arguments?: Record<string, unknown> } = {},
  ) => {
    setBusy(decision)
    setProblem('')
    try {
      await decide(item.id, { decision, ...more })
      showToast(decision === 'approve' ? words.approvedNow : words.rejectedNow)
      onDecided()
    } catch (error) {
      // Somebody was first: the card, read again, says who.
      if (!(error instanceof ParleyApiError && error.status === 409)) setProblem((error as Error).message)
    } finally {
      setBusy(null)
    }
  }
  const isMeant = (event: globalThis.KeyboardEvent) =>
    !event.repeat && isLookedAt && isConnected && busy === null && form === null
  useShortcuts({
    a(event) {
      if (!isMeant(event)) return
      if (isHigh) approveButton.current?.focus()
      else void send('approve')
    },
    r: (event) => isMeant(event) && setForm('reject'),
    e: (event) => isMeant(event) && setForm('edit'),
  })

  const hint = !isConnected
    ? words.notConnected
    : isHigh && !isRead
      ? words.readFirst
      : words.openUntil(format.clock(item.expires_at))
  return (
    <footer data-takes-keys={isLookedAt || undefined} className="flex-none border-t border-line px-6 max-md:px-4">
      <div className="mx-auto flex max-w-form flex-col gap-2 py-3">
        {problem ? (
          <p role="alert" className="text-13 text-danger">
            {problem}
          </p>
        ) : null}
        {form === 'reject' ? (
          <RejectForm
            isBusy={busy === 'reject'}
            onCancel={() => setForm(null)}
            onReject={(reason) => void send('reject', reason ? { reason } : {})}
          />
        ) : (
          <div className="flex items-center gap-2 max-md:flex-wrap">
            <Button
              ref={approveButton}
              kind="primary"
              shortcut="A"
              isBusy={busy === 'approve'}
              aria-disabled={!mayApprove}
              className="aria-disabled:opacity-50 max-md:grow"
              onClick={() => mayApprove && void send('approve')}
            >
              {busy === 'approve' ? words.sending : words.approve}
            </Button>
            <Button
              shortcut="R"
              disabled={!isConnected || busy !== null}
              className="max-md:grow"
              onClick={() => setForm('reject')}
            >
              {words.reject}
            </Button>
            <Button kind="quiet" shortcut="E" disabled={!isConnected || busy !== null} onClick={() => setForm('edit')}>
              {words.editFirst}
            </Button>
            <p role="status" className="ml-auto text-12 text-muted max-md:ml-0 max-md:w-full">
              {hint}
            </p>
          </div>
        )}
      </div>
      {form === 'edit' ? (
        <EditDialog
          item={item}
          isBusy={busy === 'approve'}
          problem={problem}
          onClose={() => setForm(null)}
          onApprove={(edited_arguments) => void send('approve', { edited_arguments })}
        />
      ) : null}
    </footer>
  )
}

type RejectProps = { isBusy: boolean; onCancel: () => void; onReject: (reason: string) => void }

function RejectForm({ isBusy, onCancel, onReject }: RejectProps) {
  const words = useWords(approvalWords)
  const [reason, setReason] = useState('')
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onCancel()
    // An Enter that ends a composition chooses a word, and sends nothing. Safari says so by the number alone.
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.keyCode === 229) return
    event.preventDefault()
    if (!isBusy) onReject(reason.trim())
  }
  return (
    <div className="flex items-end gap-2 max-md:flex-wrap">
      <div className="grow">
        <Field label={words.reason} hint={words.reasonHint}>
          {(control) => (
            <TextInput
              {...control}
              autoFocus
              maxLength={MAX_REASON}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
              onKeyDown={onKeyDown}
            />
          )}
        </Field>
      </div>
      <Button kind="danger" isBusy={isBusy} className="mb-5" onClick={() => onReject(reason.trim())}>
        {isBusy ? words.sending : words.rejectNow}
      </Button>
      <Button kind="quiet" className="mb-5" onClick={onCancel}>
        {words.cancel}
      </Button>
    </div>
  )
}
