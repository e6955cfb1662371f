import { forwardRef, type ComponentPropsWithoutRef } from 'react'
import { joinClasses } from '../controls/join-classes.ts'
import { part } from '../controls/part.ts'
import { useKit } from '../kit/kit-context.ts'
import { AttachButton } from './attach-button.tsx'
import { Attachments } from './attachments.tsx'
import { ComposerHint } from './composer-hint.tsx'
import { ContextChip } from './context-chip.tsx'
import { PlanningSwitch } from './planning-switch.tsx'
import { SendButton } from './send-button.tsx'
import { takeFiles } from './take-files.ts'
import { TextBox } from './text-box.tsx'
import { useComposer } from './use-composer.ts'

/** Context, files, text box, and one button that sends or stops; each is the host's where it has put one in its place. */
export const Composer = forwardRef<HTMLFormElement, Omit<ComponentPropsWithoutRef<'form'>, 'children'>>(
  function Composer({ className, ...props }, ref) {
    const { classNames, components } = useKit().options
    const {
      ContextChip: Context = ContextChip,
      Attachments: Files = Attachments,
      TextBox: Text = TextBox,
      PlanningSwitch: Planning = PlanningSwitch,
      AttachButton: Attach = AttachButton,
      SendButton: Send = SendButton,
      ComposerHint: Hint = ComposerHint,
    } = components
    const composer = useComposer()
    return (
      <form
        ref={ref}
        {...part('composer')}
        className={joinClasses('ck-composer', classNames.composer, className)}
        onSubmit={(event) => {
          event.preventDefault()
          if (!composer.isRunning) composer.send()
        }}
        onDrop={(event) => takeFiles(event, event.dataTransfer.files, composer)}
        {...props}
      >
        <Context />
        <Files />
        <div className="ck-composer-box">
          <Text composer={composer} />
          <Planning />
          <Attach composer={composer} />
          <Send composer={composer} />
        </div>
        <Hint composer={composer} />
      </form>
    )
  },
)
