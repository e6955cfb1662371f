import { useEffect, useMemo, useRef, useState } from 'react'
import { safeHref } from '../../markdown/safe-url.ts'
import { useKit } from '../kit-context.ts'
import { cardDocument, clampHeight, readCardMessage } from './card-document.ts'

/** HTML of a tool in a frame of an origin of its own: its script runs, but sees nothing of the page and no network. */
export function CardFrame({ html, title, height }: { html: string; title: string; height?: number | undefined }) {
  const { security, onBridge } = useKit().options
  const frame = useRef<HTMLIFrameElement>(null)
  const [measured, setMeasured] = useState(clampHeight(height ?? 160))
  const source = useMemo(() => cardDocument(html, security.cardOrigins ?? []), [html, security.cardOrigins])
  useEffect(() => {
    const listen = (event: MessageEvent) => {
      // Every frame of the page may post here; only this one is heard.
      if (!frame.current || event.source !== frame.current.contentWindow) return
      const message = readCardMessage(event.data)
      if (message?.type === 'ck:size' && height === undefined) setMeasured(message.height)
      if (message?.type === 'ck:bridge') onBridge(message.action, message.payload)
      const href = message?.type === 'ck:open' ? safeHref(message.url) : undefined
      if (href !== undefined) window.open(href, '_blank', 'noopener,noreferrer')
    }
    window.addEventListener('message', listen)
    return () => window.removeEventListener('message', listen)
  }, [height, onBridge])
  return (
    <iframe
      ref={frame}
      className="ck-frame"
      title={title}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      loading="lazy"
      srcDoc={source}
      style={{ height: measured }}
    />
  )
}
