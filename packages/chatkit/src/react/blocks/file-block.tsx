import type { ReactNode } from 'react'
import { useLoaded } from '../../markdown/use-loaded.ts'
import { safeHref } from '../../markdown/safe-url.ts'
import type { FileBlock, FileInfo } from '../../model/display-blocks.ts'
import { formatBytes } from '../texts/format.ts'
import { Icon } from '../controls/icon.tsx'
import { useKit, type BlockProps } from '../kit/kit-context.ts'
import { saveAs } from './save-as.ts'
import { loadViews } from './load-views.ts'

/** A chip, until what shows pictures is loaded. */
export function FileBlockView(props: BlockProps<FileBlock>) {
  const views = useLoaded(loadViews)
  return views ? <views.FileView {...props} /> : <FileChip file={props.block.content} />
}

/** A file by name and size. */
export function FileChip({ file }: { file: FileInfo }) {
  const { locale } = useKit().options
  return (
    <FileLink className="ck-chip" file={file}>
      <Icon name="file" />
      <span className="ck-chip-text">{file.name}</span>
      {file.size === undefined ? null : <span className="ck-muted">{formatBytes(file.size, locale)}</span>}
    </FileLink>
  )
}

/** A link if the file has an address, a button if the back end hands it out. */
export function FileLink({ file, className, children }: { file: FileInfo; className: string; children: ReactNode }) {
  const { store, options } = useKit()
  const { id } = file
  const href = file.url === undefined ? undefined : safeHref(file.url)
  if (href !== undefined)
    return (
      <a className={className} href={href} target="_blank" rel="noopener noreferrer" title={href}>
        {children}
      </a>
    )
  if (id === undefined || !store.adapter.download) return <span className={className}>{children}</span>
  const download = async () => saveAs(await store.download(id), file.name)
  return (
    <button type="button" className={className} onClick={() => void download().catch(options.onError)}>
      {children}
    </button>
  )
}
