import { useEffect, useState } from 'react'
import { mayLoadImage, safeHref } from '../../markdown/safe-url.ts'
import type { FileBlock, FileInfo } from '../../model/display-blocks.ts'
import { formatBytes } from '../format.ts'
import { Icon } from '../icon.tsx'
import { useKit, useStore, type BlockProps } from '../kit-context.ts'
import { saveAs } from '../save-as.ts'

export function FileBlockView({ block }: BlockProps<FileBlock>) {
  const { imageHosts = [] } = useKit().options.security
  const { name, url, preview } = block.content
  const kept = useKeptPicture(block.content)
  const picture = preview ?? (isImage(block.content) ? url : undefined) ?? kept
  const isShown = picture !== undefined && mayLoadImage(picture, imageHosts)
  return (
    <figure className="ck-file">
      {isShown ? (
        <img className="ck-image" src={picture} alt={name} loading="lazy" referrerPolicy="no-referrer" />
      ) : null}
      <figcaption>
        <FileChip file={block.content} />
      </figcaption>
    </figure>
  )
}

/** A file by name and size; a link if it has an address, a button if the back end hands it out. */
export function FileChip({ file }: { file: FileInfo }) {
  const { store, options } = useKit()
  const { id } = file
  const href = file.url === undefined ? undefined : safeHref(file.url)
  const label = (
    <>
      <Icon name="file" />
      <span className="ck-chip-text">{file.name}</span>
      {file.size === undefined ? null : <span className="ck-muted">{formatBytes(file.size, options.locale)}</span>}
    </>
  )
  if (href !== undefined)
    return (
      <a className="ck-chip" href={href} target="_blank" rel="noopener noreferrer" title={href}>
        {label}
      </a>
    )
  if (id === undefined || !store.adapter.download) return <span className="ck-chip">{label}</span>
  const download = async () => saveAs(await store.download(id), file.name)
  return (
    <button type="button" className="ck-chip" onClick={() => void download().catch(options.onError)}>
      {label}
    </button>
  )
}

/** A picture that needs the token to be read, as a `data:` URL: an `<img>` would ask without it. */
function useKeptPicture(file: FileInfo): string | undefined {
  const store = useStore()
  const { id } = file
  const isWanted = isImage(file) && !file.url && !file.preview && 'download' in store.adapter
  const [picture, setPicture] = useState<string>()
  useEffect(() => {
    if (!isWanted || id === undefined) return
    let isCurrent = true
    store
      .download(id)
      .then(toDataUrl)
      .then(
        (url) => {
          if (isCurrent) setPicture(url)
        },
        () => {}, // The chip stays, and says why when it is pressed.
      )
    return () => {
      isCurrent = false
    }
  }, [store, id, isWanted])
  return picture
}

function toDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(reader.result as string))
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The file could not be read.')))
    reader.readAsDataURL(blob)
  })
}

function isImage({ mediaType }: FileInfo): boolean {
  return mediaType?.startsWith('image/') ?? false
}
