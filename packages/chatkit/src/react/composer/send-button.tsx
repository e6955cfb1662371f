import { IconButton } from '../controls/icon-button.tsx'
import { part } from '../controls/part.ts'
import { useTexts } from '../kit/kit-context.ts'
import type { ComposerPartProps } from './composer-handle.ts'

/** Sends or stops. One element for both, so that it keeps its place and the focus. */
export function SendButton({ composer: { isRunning, canSend, send, stop } }: ComposerPartProps) {
  const texts = useTexts()
  return (
    <IconButton
      icon={isRunning ? 'stop' : 'send'}
      label={isRunning ? texts.stop : texts.send}
      {...part('send')}
      className="ck-send"
      aria-disabled={!isRunning && !canSend}
      onClick={isRunning ? stop : send}
    />
  )
}
