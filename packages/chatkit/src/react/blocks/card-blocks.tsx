import { useState } from 'react'
import { useLoaded } from '../../markdown/use-loaded.ts'
import { destinationOf } from '../../markdown/safe-url.ts'
import type { UiCardBlock, WebProcessorBlock } from '../../model/display-blocks.ts'
import { useDrawer } from '../drawer.tsx'
import { Icon } from '../icon.tsx'
import { IconButton } from '../icon-button.tsx'
import { useKit, useTexts, type BlockProps } from '../kit-context.ts'
import { loadViews } from './load-views.ts'

const MIN_PAGE_HEIGHT = 320
const PAGE_HEIGHT = 480
const LARGE_HEIGHT = 720

export function UiCardBlockView({ block }: BlockProps<UiCardBlock>) {
  const texts = useTexts()
  const { openDrawer } = useDrawer()
  const { resourceHTML, resourceUri, target, height, title = texts.card, toolCallID = block.key ?? '' } = block.content
  const card =
    resourceHTML === undefined ? (
      <PageFrame url={resourceUri ?? ''} title={title} height={height ?? PAGE_HEIGHT} />
    ) : (
      <Card html={resourceHTML} title={title} height={height} toolCallID={toolCallID} />
    )
  if (target === 'inline') return card
  return (
    <button
      type="button"
      className="ck-row-button"
      aria-haspopup="dialog"
      onClick={() => openDrawer({ title, content: card })}
    >
      <Icon name="page" />
      <span className="ck-row-title">{title}</span>
    </button>
  )
}

type CardProps = { html: string; title: string; height: number | undefined; toolCallID: string }

function Card(props: CardProps) {
  const views = useLoaded(loadViews)
  return views ? <views.CardFrame {...props} /> : <p className="ck-cover">{props.title}</p>
}

export function WebProcessorBlockView({ block }: BlockProps<WebProcessorBlock>) {
  const { url, title = url, size } = block.content
  return <PageFrame url={url} title={title} height={Math.max(MIN_PAGE_HEIGHT, size?.[1] ?? PAGE_HEIGHT)} />
}

type PageFrameProps = { url: string; title: string; height: number; isLarge?: boolean }

/** A foreign page: https only, and not before the reader asks for it, unless the host lists its origin. */
function PageFrame({ url, title, height, isLarge = false }: PageFrameProps) {
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
