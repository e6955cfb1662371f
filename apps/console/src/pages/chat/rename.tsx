import { useEffect, useRef } from 'react'

type RenameProps = { title: string; label: string; onDone: (title: string | null) => void }

/** A title in place: Enter keeps it, Escape does not. */
export function Rename({ title, label, onDone }: RenameProps) {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => box.current?.select(), [])
  return (
    <input
      ref={box}
      defaultValue={title}
      aria-label={label}
      maxLength={200}
      onBlur={(event) => onDone(event.target.value.trim())}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Enter') event.currentTarget.blur()
        if (event.key === 'Escape') onDone(null)
      }}
      className="min-h-8 w-full rounded-control border border-accent bg-surface px-2 text-13"
    />
  )
}
