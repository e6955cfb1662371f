import { type ReactNode, useEffect, useRef } from 'react'

type DialogProps = {
  title: string
  onClose: () => void
  children: ReactNode
  /** What can be done, the deed first; with `data-focus` on cancel where something is destroyed. */
  actions?: ReactNode
}

/** One at a time, in the top layer. Escape and a press on the veil close it; the focus goes back to where it came from. */
export function Dialog({ title, onClose, children, actions }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    dialog?.querySelector<HTMLElement>('[data-focus]')?.focus()
    dialog?.querySelector<HTMLElement>('[data-focus]')?.focus()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === element.current && onClose()}
      className="w-[calc(100%-32px)] max-w-dialog rounded-sheet border border-line bg-surface p-0 shadow-dialog"
    >
      <div className="flex flex-col gap-4 p-6">
        <h2 className="text-17 font-semibold">{title}</h2>
        <div className="text-14 text-muted">{children}</div>
        {actions ? <div className="flex flex-row-reverse justify-start gap-2">{actions}</div> : null}
      </div>
    </dialog>
  )
}
