import { type ComponentProps, type ReactNode, useId } from 'react'

type FieldProps = {
  label: string
  hint?: ReactNode
  /** The server's sentence about this field. */
  error?: string | undefined
  children: (control: {
    id: string
    'aria-describedby': string | undefined
    'aria-invalid': boolean | undefined
  }) => ReactNode
}

/** A name, what is typed, and what is wrong with it, beside it. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  const about = `${id}-about`
  const isDescribed = hint !== undefined || error !== undefined
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-13 font-medium">
        {label}
      </label>
      {children({ id, 'aria-describedby': isDescribed ? about : undefined, 'aria-invalid': error ? true : undefined })}
      {isDescribed ? (
        <p id={about} className={`text-12 ${error ? 'text-danger' : 'text-muted'}`}>
          {error ?? hint}
        </p>
      ) : null}
    </div>
  )
}

const BOX =
  'w-full rounded-control border border-control bg-surface px-3 text-14 placeholder:text-faint aria-invalid:border-danger max-md:text-15'

export function TextInput({ className = '', ...props }: ComponentProps<'input'>) {
  return <input type="text" {...props} className={`${BOX} min-h-8 max-md:min-h-11 ${className}`} />
}

export function TextArea({ className = '', ...props }: ComponentProps<'textarea'>) {
  return <textarea rows={4} {...props} className={`${BOX} py-2 ${className}`} />
}

export function Select({ className = '', ...props }: ComponentProps<'select'>) {
  return <select {...props} className={`${BOX} min-h-8 max-md:min-h-11 ${className}`} />
}

/** On or off, at once. */
export function Switch({ label, ...props }: Omit<ComponentProps<'input'>, 'type'> & { label: string }) {
  return (
    <label className="inline-flex items-center gap-2 text-13 max-md:min-h-11">
      <input type="checkbox" role="switch" {...props} className="switch" />
      {label}
    </label>
  )
}
