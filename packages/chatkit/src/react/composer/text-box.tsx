import { useLayoutEffect, useRef, type KeyboardEvent } from 'react'
import { part } from '../controls/part.ts'
import { useKit } from '../kit/kit-context.ts'
import type { ComposerPartProps } from './composer-handle.ts'
import { takeFiles } from './take-files.ts'
import { useComposition } from './use-composition.ts'

/** Stays enabled while the assistant answers. Enter sends, Escape stops, pasted files are attached. */
export function TextBox({ composer }: ComposerPartProps) {
  const { texts, sendWith } = useKit().options
  const { text, setText, isRunning, canSend, send, stop, hint, hintID } = composer
  const composition = useComposition()
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
  return (
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
      aria-describedby={hint ? hintID : undefined}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={onKeyDown}
      onPaste={(event) => takeFiles(event, event.clipboardData.files, composer)}
      {...composition.handlers}
    />
  )
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
