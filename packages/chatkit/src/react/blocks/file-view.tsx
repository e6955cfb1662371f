import { useEffect, useState } from 'react'
import { mayLoadImage } from '../../markdown/safe-url.ts'
import type { FileBlock, FileInfo } from '../../model/display-blocks.ts'
import { useKit, useStore, type BlockProps } from '../kit/kit-context.ts'
import { FileChip, FileLink } from './file-block.tsx'

/** A picture with its name, or a chip for any other file. */
export function FileView({ block }: BlockProps<FileBlock>) {
  const { imageHosts = [] } = useKit().options.security
  const { name, url, preview } = block.content
  const kept = useKeptPicture(block.content)
  const picture = preview ?? (isImage(block.content) ? url : undefined) ?? kept
  if (picture === undefined || !mayLoadImage(picture, imageHosts))
    return (
      <div className="ck-file">
        <FileChip file={block.content} />
      </div>
    )
  return (
    <figure className="ck-file">
      <FileLink className="ck-picture" file={block.content}>
        <img className="ck-image" src={picture} alt={name} loading="lazy" referrerPolicy="no-referrer" />
      </FileLink>
      <figcaption className="ck-muted" aria-hidden="true">
        {name}
      </figcaption>
    </figure>
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
