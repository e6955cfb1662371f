import { useRef } from 'react'
import { IconButton } from '../controls/icon-button.tsx'
import { useTexts } from '../kit/kit-context.ts'
import type { ComposerPartProps } from './composer-handle.ts'

/** Where the back end takes files: chooses some. */
export function AttachButton({ composer: { addFiles } }: ComposerPartProps) {
  const texts = useTexts()
  const input = useRef<HTMLInputElement>(null)
  if (!addFiles) return null
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={texts.attach}
        onChange={(event) => {
          addFiles([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
      <IconButton icon="attach" label={texts.attach} onClick={() => input.current?.click()} />
    </>
  )
}
