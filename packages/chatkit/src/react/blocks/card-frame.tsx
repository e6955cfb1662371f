import { useCallback, useMemo, useRef, useState } from 'react'
import { safeHref } from '../../markdown/safe-url.ts'
import { dispatchBridge } from '../bridge-event.ts'
import { useKit } from '../kit-context.ts'
import { cardDocument, clampHeight, hasScript, readCardMessage } from './card-document.ts'
import { OpaqueFrame } from './opaque-frame.tsx'
import { useUnsupported } from './use-unsupported.ts'

type CardFrameProps = { html: string; title: string; height?: number | undefined; toolCallID: string }

/** HTML of a tool in a frame of an origin of its own. Without its scripts it still shows what it is without them. */
export function CardFrame({ html, title, height, toolCallID }: CardFrameProps) {
  const { security, onBridge } = useKit().options
  const reportUnsupported = useUnsupported()
  const frame = useRef<HTMLDivElement>(null)
  const [measured, setMeasured] = useState(clampHeight(height ?? 160))
  const source = useMemo(() => cardDocument(html, security.cardOrigins ?? []), [html, security.cardOrigins])
  const onMessage = useCallback(
    (data: unknown) => {
      const message = readCardMessage(data)
      if (message?.type === 'ck:size' && height === undefined) setMeasured(message.height)
      if (message?.type === 'ck:bridge') {
        const { action, payload } = message
        onBridge(action, payload, { toolCallID })
        dispatchBridge(frame.current, { action, payload, toolCallID })
      }
      const href = message?.type === 'ck:open' ? safeHref(message.url) : undefined
      if (href !== undefined) window.open(href, '_blank', 'noopener,noreferrer')
    },
    [height, onBridge, toolCallID],
  )
  const onSilent = () => {
    if (hasScript(html)) reportUnsupported()
  }
  return (
    <div ref={frame}>
      <OpaqueFrame {...{ source, title, onMessage, onSilent }} height={measured} />
    </div>
  )
}
