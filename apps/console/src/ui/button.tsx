import type { ComponentProps, ReactNode } from 'react'

type ButtonProps = ComponentProps<'button'> & {
  /** One primary a view. `quiet` has no border until it is pointed at. */
  kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  /** The key that does the same. */
  shortcut?: string
  /** What was pressed is under way. */
  isBusy?: boolean
}

const LOOKS = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover border border-transparent',
  plain: 'bg-surface text-text border border-control hover:bg-hover',
  quiet: 'text-text border border-transparent hover:bg-hover',
  danger: 'bg-surface text-danger border border-control hover:bg-danger-soft',
} as const

export function Button({ kind = 'plain', shortcut, isBusy, className = '', children, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      disabled={props.disabled || isBusy}
      className={`inline-flex min-h-8 items-center justify-center gap-2 rounded-control px-3 text-13 font-medium whitespace-nowrap transition-colors duration-[120ms] disabled:opacity-50 max-md:min-h-11 ${LOOKS[kind]} ${className}`}
    >
      {isBusy ? <Spinner /> : null}
      {children}
      {shortcut ? <Key>{shortcut}</Key> : null}
    </button>
  )
}

/** A button with nothing but a picture; its name is also its tooltip. */
export function IconButton({
  label,
  shortcut,
  className = '',
  ...props
}: Omit<ButtonProps, 'kind'> & { label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={shortcut ? `${label} (${shortcut})` : label}
      {...props}
      className={`inline-flex size-8 items-center justify-center rounded-control text-muted transition-colors duration-[120ms] hover:bg-hover hover:text-text disabled:opacity-50 max-md:size-11 ${className}`}
    />
  )
}

export function Key({ children }: { children: ReactNode }) {
  return (
    <kbd className="rounded-chip bg-current/15 px-1 font-sans text-11 font-semibold max-md:hidden" aria-hidden="true">
      <span>{children}</span>
    </kbd>
  )
}

/** Only inside what was pressed. */
export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="size-3 animate-[spin_800ms_linear_infinite] rounded-full border-2 border-current border-r-transparent"
    />
  )
}
