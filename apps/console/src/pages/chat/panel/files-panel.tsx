import { useQuery } from '@tanstack/react-query'
import { Download, Upload } from '../../../ui/icons.tsx'
import { useState } from 'react'
import { allFilesAddress, directoryQuery } from '../../../data/workspace.ts'
import { useWords } from '../../../texts/language.ts'
import { Button } from '../../../ui/button.tsx'
import { DropZone, pickFiles } from '../../../ui/drop-zone.tsx'
import { Empty, Failure, Skeleton } from '../../../ui/states.tsx'
import { FileTree } from './file-tree.tsx'
import { FileView } from './file-view.tsx'
import { usePanel } from './use-panel.ts'
import { useUpload } from './use-upload.ts'
import { UploadState } from './upload-state.tsx'
import { panelWords } from './words.ts'

/** What the agent reads and writes; files that are dropped here become its own. */
export function FilesPanel({ id }: { id: string }) {
  const words = useWords(panelWords)
  const { file } = usePanel()
  const { data, error, isPending, refetch } = useQuery(directoryQuery(id, ''))
  const [upload, begin, stop] = useUpload(id)
  const [isFresh, setFresh] = useState(true)
  const add = (files: readonly File[]) => {
    setFresh(false)
    begin(files)
  }
  if (file) return <FileView id={id} path={file} />
  return (
    <DropZone label={words.drop} onFiles={add} className="flex min-h-0 grow flex-col">
      <div className="min-h-0 grow overflow-y-auto p-2">
        {error && !data ? <Failure error={error} retry={() => void refetch()} /> : null}
        {isPending ? <Skeleton /> : null}
        {data?.length === 0 ? <Empty title={words.noFiles}>{words.noFilesText}</Empty> : null}
        {data && data.length > 0 ? <FileTree id={id} entries={data} /> : null}
      </div>
      {isFresh ? null : <UploadState upload={upload} onCancel={stop} />}
      <footer className="flex flex-none items-center gap-2 border-t border-line p-3">
        <Button
          disabled={upload.isRunning}
          onClick={() => void pickFiles().then((files) => files.length > 0 && add(files))}
        >
          <Upload size={16} />
          {words.upload}
        </Button>
        {data && data.length > 0 ? (
          <a
            href={allFilesAddress(id)}
            download
            className="inline-flex min-h-8 items-center gap-2 rounded-control px-2 text-13 text-muted hover:bg-hover hover:text-text max-md:min-h-11"
          >
            <Download size={16} />
            {words.downloadAll}
          </a>
        ) : null}
      </footer>
    </DropZone>
  )
}
