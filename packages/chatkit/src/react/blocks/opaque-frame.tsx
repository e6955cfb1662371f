import { useEffect, useRef } from 'react'
import { useKit } from '../kit/kit-context.ts'

/** A script of the page says it is there before this long after the page; on a busy machine, too. */
const SILENCE_MS = 3000
/** The frame's own, above and below: the document gets all of the height it asked for. */
export const FRAME_BORDERS = 2

export type OpaqueFrameProps = {
  /** The whole document, as `opaqueDocument` makes it. */
  source: string
  title: string
  height: number
  className?: string
  /** A message of this frame and no other. `reply` posts to it. */
  onMessage: (data: unknown, reply: (message: object) => void) => void
  /** The frame has loaded, but no script in it runs: the host page's policy holds in it too. */
  onSilent: () => void
}

/**
 * A document in an origin of its own: its scripts run, but see nothing of the page and no network. Where the host gives a
 * page for it (`security.cardFrame`), that one is loaded and gets the document by message.
 */
export function OpaqueFrame({ source, title, height, className, onMessage, onSilent }: OpaqueFrameProps) {
  const { cardFrame } = useKit().options.security
  const frame = useRef<HTMLIFrameElement>(null)
  const silence = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isHeard = useRef(false)
  useEffect(() => {
    const listen = ({ source: sender, data }: MessageEvent<unknown>) => {
      const window = frame.current?.contentWindow
      // Every frame of the page may post here; only this one is heard.
      if (!window || sender !== window) return
      // Its origin is opaque: there is no name to address it by.
      const reply = (message: object) => window.postMessage(message, '*')
      if (cardFrame !== undefined && isType(data, 'ck:frame')) return reply({ type: 'ck:html', html: source })
      isHeard.current = true
      onMessage(data, reply)
    }
    addEventListener('message', listen)
    return () => removeEventListener('message', listen)
  }, [cardFrame, source, onMessage])
  useEffect(() => () => clearTimeout(silence.current), [])
  const onLoad = () => {
    clearTimeout(silence.current)
    silence.current = setTimeout(() => isHeard.current || onSilent(), SILENCE_MS)
  }
  return (
    <iframe
      ref={frame}
      className={className ? `ck-frame ${className}` : 'ck-frame'}
      title={title}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      loading="lazy"
      {...(cardFrame === undefined ? { srcDoc: source } : { src: cardFrame })}
      style={{ height: height + FRAME_BORDERS }}
      onLoad={onLoad}
    />
  )
}

const isType = (data: unknown, type: string): boolean =>
  typeof data === 'object' && data !== null && (data as { type?: unknown }).type === type
