import { forwardRef, type ComponentPropsWithoutRef } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { joinClasses } from './join-classes.ts'

export type IconButtonProps = ComponentPropsWithoutRef<'button'> & { icon: IconName; label: string }

/** A button that shows a picture and is called by its label. */
export const IconButton = forwardRef<HTMLButtonElement, IconButtonProps>(function IconButton(
  { icon, label, className, ...props },
  ref,
) {
  return (
    <button
      ref={ref}
      type="button"
      className={joinClasses('ck-icon-button', className)}
      aria-label={label}
      title={label}
      {...props}
    >
      <Icon name={icon} />
    </button>
  )
})
