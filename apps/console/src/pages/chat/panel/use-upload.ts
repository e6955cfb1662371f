import { useRef, useState } from 'react'
import { uploadFiles } from '../../../data/workspace.ts'

export type Upload = {
  isRunning: boolean
  names: readonly string[]
  /** How much has left, from 0 to 1. */
  share: number
  failed: readonly { path: string; error: string }[]
}

const NONE: Upload = { isRunning: false, names: [], share: 0, failed: [] }

/** One upload at a time, and how it went. */
export function useUpload(id: string): [Upload, (files: readonly File[]) => void, () => void] {
  const [upload, setUpload] = useState<Upload>(NONE)
  const stop = useRef(() => {})
  const begin = (files: readonly File[]) => {
    const names = files.map(({ name }) => name)
    const controller = new AbortController()
    stop.current = () => controller.abort()
    setUpload({ ...NONE, isRunning: true, names })
    const onProgress = (share: number) => setUpload((before) => ({ ...before, share }))
    uploadFiles(id, files, { onProgress, signal: controller.signal }).then(
      ({ failed }) => setUpload({ ...NONE, names, share: 1, failed }),
      (error: Error) => {
        const reason = controller.signal.aborted ? [] : names.map((path) => ({ path, error: error.message }))
        setUpload({ ...NONE, failed: reason })
      },
    )
  }
  return [upload, begin, () => stop.current()]
}
