import type { ComposerHandle } from './composer-handle.ts'

/** Files that were dropped or pasted go with the message, where the back end takes any; else the page has the event. */
export function takeFiles(event: { preventDefault: () => void }, files: FileList, { addFiles }: ComposerHandle): void {
  if (files.length === 0 || !addFiles) return
  event.preventDefault()
  addFiles([...files])
}
