import type { Session } from '@parley/protocol'
import { Ellipsis, Pencil, Pin, Trash } from '../../ui/icons.tsx'
import { memo, useState } from 'react'
import { Link } from 'wouter'
import { deleteSession, hideSession, pinSession, renameSession, showSession } from '../../data/sessions.ts'
import { routes } from '../../routes.ts'
import { showToast, showUndo } from '../../shell/toasts.tsx'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Rename } from './rename.tsx'
import { chatWords } from './words.ts'

type RowProps = {
  session: Session
  isCurrent: boolean
  isUnread: boolean
  /** Whether Tab leads here. */
  isStop: boolean
  /** The one that is open is gone. */
  onDeleted: () => void
}

/** State, title, time; pin, rename and delete where the time was. */
export const SessionRow = memo(function SessionRow({ session, isCurrent, isUnread, isStop, onDeleted }: RowProps) {
  const words = useWords(chatWords)
  const format = useFormat()
  const [isRenaming, setRenaming] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const { id, status, is_pinned, updated_at } = session
  const title = session.intent || words.untitled
  const tell = (error: unknown) => showToast((error as Error).message)

  const remove = () => {
    hideSession(id)
    if (isCurrent) onDeleted()
    showUndo(words.deleted, {
      label: words.undo,
      undo: () => void showSession(id),
      commit: () => void deleteSession(id).catch(tell),
    })
  }
  const removeAtOnce = () => {
    setAsking(false)
    hideSession(id)
    if (isCurrent) onDeleted()
    deleteSession(id).catch(tell)
  }
  const onDelete = () => (status === 'running' || session.shared ? setAsking(true) : remove())

  if (isRenaming)
    return (
      <div className="mr-1 px-1 py-0.5">
        <Rename
          title={session.intent}
          label={words.renameField}
          onDone={(name) => {
            setRenaming(false)
            if (name !== null && name !== session.intent) renameSession(id, name).catch(tell)
          }}
        />
      </div>
    )
  return (
    <div className="group relative mr-1">
      <Link
        href={routes.session(id)}
        data-session={id}
        tabIndex={isStop ? 0 : -1}
        aria-current={isCurrent ? 'page' : undefined}
        onKeyDown={(event) => {
          if (event.key === 'F2') setRenaming(true)
          if (event.key === 'Delete') onDelete()
        }}
        className="flex min-h-[34px] items-center gap-2 rounded-card pr-2 pl-2 text-13 hover:bg-hover aria-[current]:bg-selected max-md:min-h-11 max-md:px-4"
      >
        <StateMark status={status} isUnread={isUnread} />
        <span className={`min-w-0 grow truncate ${isUnread ? 'font-semibold' : ''}`}>{title}</span>
        {isUnread ? <span className="sr-only">{words.unread}</span> : null}
        {words.marks[status] ? <span className="sr-only">{words.marks[status]}</span> : null}
        <time
          dateTime={updated_at}
          title={format.absolute(updated_at)}
          className="flex-none text-12 text-faint group-focus-within:opacity-0 group-hover:opacity-0"
        >
          {format.inList(updated_at)}
        </time>
      </Link>
      <div className="absolute top-0 right-1 flex h-full items-center opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 [@media(hover:none)]:opacity-100">
        <Menu
          label={words.more(title)}
          className="size-7 bg-hover"
          tabIndex={isStop ? 0 : -1}
          items={[
            {
              label: is_pinned ? words.unpin : words.pin,
              icon: <Pin size={16} />,
              onSelect: () => void pinSession(id, !is_pinned).catch(tell),
            },
            {
              label: words.rename,
              icon: <Pencil size={16} />,
              shortcut: 'F2',
              onSelect: () => setRenaming(true),
            },
            {
              label: words.delete,
              icon: <Trash size={16} />,
              shortcut: 'Del',
              isDangerous: true,
              onSelect: onDelete,
            },
          ]}
        >
          <Ellipsis size={16} />
        </Menu>
      </div>
      {isAsking ? (
        <Dialog
          title={words.stopFirst}
          onClose={() => setAsking(false)}
          actions={
            <>
              <Button kind="danger" onClick={removeAtOnce}>
                {words.delete}
              </Button>
              <Button data-focus onClick={() => setAsking(false)}>
                {words.cancel}
              </Button>
            </>
          }
        >
          {status === 'running' ? <p>{words.stopFirstText}</p> : null}
          {session.shared ? <p>{words.sharedText}</p> : null}
        </Dialog>
      ) : null}
    </div>
  )
})

/** A shape for each state; the words stand beside it for who cannot see it. */
function StateMark({ status, isUnread }: { status: Session['status']; isUnread: boolean }) {
  const shapes: Partial<Record<Session['status'], string>> = {
    waiting_for_input: 'bg-attention',
    running: 'border-2 border-accent border-r-transparent size-3 animate-[spin_1200ms_linear_infinite]',
    failed: 'border-2 border-danger',
  }
  const shape = shapes[status] ?? (isUnread ? 'bg-accent' : undefined)
  return (
    <span aria-hidden="true" className="flex size-4 flex-none items-center justify-center">
      {shape ? <span className={`size-2 rounded-full ${shape}`} /> : null}
    </span>
  )
}
