import { useState, type ReactNode } from 'react'
import { decodeEntities } from './decode-entities.ts'
import { MarkdownOptionsProvider, useMarkdownOptions } from './markdown-options.ts'
import { destinationOf, mayLoadImage, safeHref } from './safe-url.ts'

/** A link that says where it leads; one that must not be followed stays the text it was written as. */
export function LinkView(props: {
  href: string
  title?: string | null | undefined
  label: string
  raw: string
  children: ReactNode
}) {
  const options = useMarkdownOptions()
  const href = safeHref(props.href)
  if (href === undefined) return decodeEntities(props.raw)
  const destination = destinationOf(href)
  const isNamed = destination === '' || props.label.toLowerCase().includes(destination.toLowerCase())
  const title = props.title ? `${decodeEntities(props.title)} (${href})` : href
  return (
    <a className="ck-link" href={href} target="_blank" rel="noopener noreferrer" title={title}>
      {/* What stands in a link is part of it: a number there leads nowhere of its own. */}
      <MarkdownOptionsProvider value={{ ...options, renderText: undefined }}>{props.children}</MarkdownOptionsProvider>
      {options.showDestinations && !isNamed ? <span className="ck-link-host"> {destination}</span> : null}
    </a>
  )
}

/** An image of an allowed origin; any other one asks first, because loading it tells its server who reads. */
export function ImageView({ src, alt, title }: { src: string; alt: string; title?: string | null | undefined }) {
  const { texts, imageHosts } = useMarkdownOptions()
  const [isWanted, setWanted] = useState(false)
  const [isBroken, setBroken] = useState(false)
  const address = src.startsWith('data:') ? src : safeHref(src)
  const isAllowed = mayLoadImage(src, imageHosts)
  if (address === undefined || isBroken || (!isAllowed && !/^(?:https?:)?\/\//i.test(address)))
    return <ImageText text={alt || src} />
  if (isAllowed || isWanted) {
    const titled = title ? { title: decodeEntities(title) } : {}
    return (
      <img
        className="ck-image"
        src={address}
        alt={alt}
        {...titled}
        loading={isWanted ? 'eager' : 'lazy'}
        referrerPolicy="no-referrer"
        onError={() => setBroken(true)}
      />
    )
  }
  return (
    <span className="ck-image-cover">
      <span className="ck-image-alt">{alt}</span>
      <a className="ck-link" href={address} target="_blank" rel="noopener noreferrer" title={address}>
        {texts.imageFrom} {destinationOf(address)}
      </a>
      <button type="button" className="ck-button" onClick={() => setWanted(true)}>
        {texts.loadImage}
      </button>
    </span>
  )
}

const ImageText = ({ text }: { text: string }) => <span className="ck-image-alt">{decodeEntities(text)}</span>
