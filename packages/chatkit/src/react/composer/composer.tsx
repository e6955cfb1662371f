import {
  forwardRef,
  useId,
  useLayoutEffect,
  useRef,
  type ChangeEvent,
  type ClipboardEvent,
  type ComponentPropsWithoutRef,
  type DragEvent,
  type KeyboardEvent,
} from 'react'
import { FileChip } from '../blocks/file-block.tsx'
import { ContextChip } from './context-chip.tsx'
import { IconButton } from '../controls/icon-button.tsx'
import { joinClasses } from '../controls/join-classes.ts'
import { useKit } from '../kit/kit-context.ts'
import { part } from '../controls/part.ts'
import { useChatState } from '../kit/use-chat-kit.ts'
import { useComposer } from './use-composer.ts'
import { useComposition } from './use-composition.ts'

/** From here on the length is shown. */
const SHOW_LENGTH_FROM = 0.8

/** Context, files, text box, and one button that sends or stops. The text box stays enabled while the assistant answers. */
export const Composer = forwardRef<HTMLFormElement, Omit<ComponentPropsWithoutRef<'form'>, 'children'>>(
  function Composer({ className, ...props }, ref) {
    const { texts, classNames, sendWith, maxLength, disclaimer } = useKit().options
    const { text, setText, isRunning, canSend, send, stop, addFiles, hint } = useComposer()
    const composition = useComposition()
    const id = useId()
    const box = useRef<HTMLTextAreaElement>(null)
    useGrowing(box, text)
    const onKeyDown = (event: KeyboardEvent) => {
      if (composition.isComposing(event)) return
      if (event.key === 'Escape' && isRunning) {
        event.stopPropagation()
        stop()
      }
      const isWanted =
        sendWith === 'enter' ? !event.shiftKey && !event.ctrlKey && !event.metaKey : event.ctrlKey || event.metaKey
      if (event.key !== 'Enter' || event.altKey || !isWanted) return
      event.preventDefault()
      if (canSend) send()
    }
    const onPaste = (event: ClipboardEvent) => takeFiles(event, event.clipboardData.files, addFiles)
    const onDrop = (event: DragEvent) => takeFiles(event, event.dataTransfer.files, addFiles)
    return (
      <form
        ref={ref}
        {...part('composer')}
        className={joinClasses('ck-composer', classNames.composer, className)}
        onSubmit={(event) => {
          event.preventDefault()
          if (!isRunning) send()
        }}
        onDrop={onDrop}
        {...props}
      >
        <ContextChip />
        <Attachments />
        <div className="ck-composer-box">
          <textarea
            ref={box}
            {...part('input')}
            className="ck-composer-text"
            rows={1}
            dir="auto"
            value={text}
            placeholder={texts.placeholder}
            aria-label={texts.message}
            aria-invalid={hint === 'too_long'}
            aria-describedby={hint ? `${id}-hint` : undefined}
            onChange={(event: ChangeEvent<HTMLTextAreaElement>) => setText(event.target.value)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            {...composition.handlers}
          />
          <PlanningSwitch />
          {addFiles ? <FilePicker onFiles={addFiles} /> : null}
          {/* One element for both, so that it keeps its place and the focus. */}
          <IconButton
            icon={isRunning ? 'stop' : 'send'}
            label={isRunning ? texts.stop : texts.send}
            {...part('send')}
            className="ck-send"
            aria-disabled={!isRunning && !canSend}
            onClick={isRunning ? stop : send}
          />
        </div>
        <p id={`${id}-hint`} className="ck-hint" data-error={hint !== undefined || undefined}>
          {hint ? texts.errors[hint] : disclaimer}
          {text.length > maxLength * SHOW_LENGTH_FROM ? <span> {texts.characters(text.length, maxLength)}</span> : null}
        </p>
      </form>
    )
  },
)

/** Where the assistant can plan first: whether it is to. */
function PlanningSwitch() {
  const { store, options } = useKit()
  const isPlanning = useChatState(({ mode }) => mode === 'planning')
  if (!store.adapter.hasPlanning) return null
  return (
    <IconButton
      icon="plan"
      label={options.texts.planFirst}
      aria-pressed={isPlanning}
      onClick={() => store.setMode(isPlanning ? 'executing' : 'planning')}
    />
  )
}

function FilePicker({ onFiles }: { onFiles: (files: Iterable<File>) => void }) {
  const { texts } = useKit().options
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={texts.attach}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
      <IconButton icon="attach" label={texts.attach} onClick={() => input.current?.click()} />
    </>
  )
}

function Attachments() {
  const { store, options } = useKit()
  const attachments = useChatState((state) => state.attachments)
  if (attachments.length === 0) return null
  return (
    <ul className="ck-attachments">
      {attachments.map((file, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- the same file may be there twice
        <li key={i}>
          <FileChip file={{ name: file.name, size: file.size }} />
          <IconButton
            icon="close"
            label={`${options.texts.removeFile}: ${file.name}`}
            onClick={() => store.removeAttachment(i)}
          />
        </li>
      ))}
    </ul>
  )
}

function takeFiles(
  event: { preventDefault: () => void },
  files: FileList,
  addFiles: ((files: Iterable<File>) => void) | undefined,
) {
  if (files.length === 0 || !addFiles) return
  event.preventDefault()
  addFiles([...files])
}

/** The text box grows with its text; the style sheet says how far. Newer browsers do it by themselves. */
function useGrowing(box: { current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    const element = box.current
    if (!element || CSS.supports('field-sizing', 'content')) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [box, text])
}
