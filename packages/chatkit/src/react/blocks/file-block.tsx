import { mayLoadImage, safeHref } from '../../markdown/safe-url.ts'
import type { FileBlock, FileInfo } from '../../model/display-blocks.ts'
import { formatBytes } from '../format.ts'
import { Icon } from '../icon.tsx'
import { useKit, type BlockProps } from '../kit-context.ts'

export function FileBlockView({ block }: BlockProps<FileBlock>) {
  const { imageHosts = [] } = useKit().options.security
  const { name, url, mediaType, preview } = block.content
  const picture = preview ?? (mediaType?.startsWith('image/') ? url : undefined)
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

/** A file by name and size; a link if it can be opened. */
export function FileChip({ file }: { file: FileInfo }) {
  const { locale } = useKit().options
  const href = file.url === undefined ? undefined : safeHref(file.url)
  const label = (
    <>
      <Icon name="file" />
      <span className="ck-chip-text">{file.name}</span>
      {file.size === undefined ? null : <span className="ck-muted">{formatBytes(file.size, locale)}</span>}
    </>
  )
  if (href === undefined) return <span className="ck-chip">{label}</span>
  return (
    <a className="ck-chip" href={href} target="_blank" rel="noopener noreferrer" title={href}>
      {label}
    </a>
  )
}
