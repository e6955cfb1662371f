import { useFormat } from '../../../texts/format.ts'
import { useWords } from '../../../texts/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Progress } from '../../../ui/progress.tsx'
import type { Upload } from './use-upload.ts'
import { panelWords } from './words.ts'

/** How far an upload is, and what of it was refused. */
export function UploadState({ upload, onCancel }: { upload: Upload; onCancel: () => void }) {
  const words = useWords(panelWords)
  const format = useFormat()
  const { isRunning, names, share, failed } = upload
  if (!isRunning && failed.length === 0) return null
  return (
    <div role="status" className="flex flex-none flex-col gap-2 border-t border-line px-4 py-3 text-13">
      {isRunning ? (
        <>
          <div className="flex items-center gap-2">
            <span className="grow truncate">{names.length === 1 ? names[0] : words.files(names.length)}</span>
            <span className="text-12 text-muted">{format.percent(share)}</span>
            <Button kind="quiet" onClick={onCancel}>
              {words.cancel}
            </Button>
          </div>
          <Progress label={words.uploading} share={share} />
        </>
      ) : null}
      {failed.map(({ path, error }) => (
        <p key={path} className="break-words">
          <span className="font-medium">{path}</span> <span className="text-danger">{error}</span>
        </p>
      ))}
    </div>
  )
}
