import { useKit } from '../kit/kit-context.ts'
import type { ComposerPartProps } from './composer-handle.ts'

/** From here on the length is shown. */
const SHOW_LENGTH_FROM = 0.8

/** Why a message was refused, else the disclaimer; and its length when it comes near the end. */
export function ComposerHint({ composer: { text, hint, hintID } }: ComposerPartProps) {
  const { texts, maxLength, disclaimer } = useKit().options
  return (
    <p id={hintID} className="ck-hint" data-error={hint !== undefined || undefined}>
      {hint ? texts.errors[hint] : disclaimer}
      {text.length > maxLength * SHOW_LENGTH_FROM ? <span> {texts.characters(text.length, maxLength)}</span> : null}
    </p>
  )
}
