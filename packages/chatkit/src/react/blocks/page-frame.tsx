import { useState } from 'react'
import { destinationOf } from '../../markdown/safe-url.ts'
import { useDrawer } from '../frame/drawer.tsx'
import { IconButton } from '../controls/icon-button.tsx'
import { useKit } from '../kit/kit-context.ts'

const LARGE_HEIGHT = 720

export type PageFrameProps = { url: string; title: string; height: number; isLarge?: boolean }

/** A foreign page: https only, and not before the reader asks for it, unless the host lists its origin. */
export function PageFrame({ url, title, height, isLarge = false }: PageFrameProps) {
  const { texts, security } = useKit().options
  const { openDrawer } = useDrawer()
  const address = framable(url)
  const [isWanted, setWanted] = useState(false)
  if (!address) return <p className="ck-notice">{texts.unsafePage}</p>
  const isListed = security.frameOrigins?.includes(address.origin) ?? false
  const isForeign = typeof location === 'undefined' || address.origin !== location.origin
  const enlarge = () =>
    openDrawer({ title, isWide: true, content: <PageFrame url={url} title={title} height={LARGE_HEIGHT} isLarge /> })
  return (
    <figure className="ck-page">
      <figcaption className="ck-page-head">
        <span className="ck-row-title">{title}</span>
        <a className="ck-link" href={address.href} target="_blank" rel="noopener noreferrer">
          {texts.openTab} <span className="ck-link-host">{destinationOf(address.href)}</span>
        </a>
        {isLarge ? null : <IconButton icon="enlarge" label={texts.enlarge} onClick={enlarge} />}
      </figcaption>
      {isListed || isWanted ? (
        <iframe
          className="ck-frame"
          title={title}
          src={address.href}
          // A page of our own origin with both rights could take its sandbox off.
          sandbox={`allow-scripts allow-forms allow-popups${isForeign ? ' allow-same-origin' : ''}`}
          referrerPolicy="no-referrer"
          loading="lazy"
          style={{ height }}
        />
      ) : (
        <div className="ck-cover">
          <button type="button" className="ck-button" onClick={() => setWanted(true)}>
            {texts.loadPage}
          </button>
        </div>
      )}
    </figure>
  )
}

function framable(address: string): URL | undefined {
  try {
    const url = new URL(address)
    const isLoopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback) ? url : undefined
  } catch {
    return undefined
  }
}
