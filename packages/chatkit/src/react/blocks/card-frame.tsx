import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { safeHref } from '../../markdown/safe-url.ts'
import { dispatchBridge } from '../kit/bridge-event.ts'
import { useKit } from '../kit/kit-context.ts'
import { useKitColors } from './use-kit-colors.ts'
import { cardDocument, clampHeight, hasScript, readCardMessage } from './card-document.ts'
import { cardLook } from './card-look.ts'
import { FRAME_BORDERS, OpaqueFrame } from './opaque-frame.tsx'
import { useUnsupported } from './use-unsupported.ts'

export type CardFrameProps = { html: string; title: string; height?: number | undefined; toolCallID: string }

const HEIGHT = 160

/** HTML of a tool in a frame of an origin of its own. Without its scripts it still shows what it is without them. */
export function CardFrame(props: CardFrameProps) {
  const [place, setPlace] = useState<HTMLDivElement | null>(null)
  const colors = useKitColors(place)
  const look = useMemo(() => colors && cardLook(colors), [colors])
  return (
    <div
      ref={setPlace}
      style={look === undefined ? { height: clampHeight(props.height ?? HEIGHT) + FRAME_BORDERS } : undefined}
    >
      {look === undefined ? null : <DressedFrame {...props} look={look} place={place} />}
    </div>
  )
}

type DressedFrameProps = CardFrameProps & { look: string; place: Element | null }

function DressedFrame({ html, title, height, toolCallID, look, place }: DressedFrameProps) {
  const { security, onBridge } = useKit().options
  const reportUnsupported = useUnsupported()
  const [measured, setMeasured] = useState(clampHeight(height ?? HEIGHT))
  // Another document would begin anew: one that listens is told of a new look, one that cannot has nothing to lose.
  const [ownLook, setOwnLook] = useState(look)
  const [isSilent, setSilent] = useState(false)
  const post = useRef<(message: object) => void>(undefined)
  const source = useMemo(
    () => cardDocument(html, security.cardOrigins ?? [], ownLook),
    [html, security.cardOrigins, ownLook],
  )
  useEffect(() => {
    if (isSilent) setOwnLook(look)
    else post.current?.({ type: 'ck:look', look })
  }, [look, isSilent])
  const onMessage = useCallback(
    (data: unknown, reply: (message: object) => void) => {
      const message = readCardMessage(data)
      if (message?.type === 'ck:ready') {
        post.current = reply
        reply({ type: 'ck:look', look })
      }
      if (message?.type === 'ck:size' && height === undefined) setMeasured(message.height)
      if (message?.type === 'ck:bridge') {
        const { action, payload } = message
        onBridge(action, payload, { toolCallID })
        dispatchBridge(place, { action, payload, toolCallID })
      }
      const href = message?.type === 'ck:open' ? safeHref(message.url) : undefined
      if (href !== undefined) window.open(href, '_blank', 'noopener,noreferrer')
    },
    [height, look, onBridge, place, toolCallID],
  )
  const onSilent = () => {
    setSilent(true)
    if (hasScript(html)) reportUnsupported()
  }
  return <OpaqueFrame {...{ source, title, onMessage, onSilent }} className="ck-card-frame" height={measured} />
}
