import { type DragEvent, type ReactNode, useState } from 'react'

type DropZoneProps = {
  /** Said while files hang over it. */
  label: string
  onFiles: (files: readonly File[]) => void
  className?: string
  children: ReactNode
}

/** Takes files that are dropped anywhere on it. Whoever cannot drop has a button beside it. */
export function DropZone({ label, onFiles, className = '', children }: DropZoneProps) {
  const [isOver, setOver] = useState(false)
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files')
  return (
    <div
      className={`relative ${className}`}
      onDragOver={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(false)
        onFiles([...event.dataTransfer.files])
      }}
    >
      {children}
      {isOver ? (
        <div className="pointer-events-none absolute inset-2 z-10 flex items-center justify-center rounded-card border-2 border-dashed border-accent bg-accent-soft text-14 font-medium text-on-accent-soft">
          {label}
        </div>
      ) : null}
    </div>
  )
}

/** Those that the reader chose; none if they chose none. */
export function pickFiles(accept = ''): Promise<readonly File[]> {
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  input.accept = accept
  return new Promise((resolve) => {
    input.addEventListener('change', () => resolve([...(input.files ?? [])]))
    input.addEventListener('cancel', () => resolve([]))
    input.click()
  })
}
