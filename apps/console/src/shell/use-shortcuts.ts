import { useEffect, useRef } from 'react'
import { createKeybindingsHandler, type KeybindingsMap } from 'tinykeys'

const KEPT = 'parley.single-letters'

export const areLettersOn = (): boolean => localStorage.getItem(KEPT) !== 'off'
export const switchLetters = (isOn: boolean): void => localStorage.setItem(KEPT, isOn ? 'on' : 'off')

type Bindings = Record<string, (event: KeyboardEvent) => void>

/**
 * Keys of a page, for as long as it is shown. Those without Ctrl, Cmd, Alt or an F are letters: they do nothing while somebody
 * writes, composes or has switched them off.
 */
export function useShortcuts(bindings: Bindings): void {
  const current = useRef(bindings)
  useEffect(() => {
    current.current = bindings
  })
  const names = Object.keys(bindings).join('\n')
  useEffect(() => {
    const map: KeybindingsMap = Object.fromEntries(
      names.split('\n').map((name) => [
        name,
        (event: KeyboardEvent) => {
          if (event.isComposing || (isLetter(name) && (!areLettersOn() || isWriting(event)))) return
          event.preventDefault()
          current.current[name]?.(event)
        },
      ]),
    )
    // What is written is looked at above: Ctrl K is a command in a text box, too.
    const handle = createKeybindingsHandler(map, { ignore: () => false })
    addEventListener('keydown', handle)
    return () => removeEventListener('keydown', handle)
  }, [names])
}

function isLetter(name: string): boolean {
  return !/\$mod|Control|Alt|Meta|F\d|Escape/.test(name)
}

function isWriting({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select'))
  )
}
