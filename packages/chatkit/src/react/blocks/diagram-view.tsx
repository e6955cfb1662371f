import { useCallback, useEffect, useRef, useState } from 'react'
import { loadMermaid } from '../../lazy/parts.ts'
import { CodeBlock } from '../../markdown/code-block.tsx'
import { useLoaded } from '../../markdown/use-loaded.ts'
import { useDrawer } from '../frame/drawer.tsx'
import { IconButton } from '../controls/icon-button.tsx'
import { useTexts } from '../kit/kit-context.ts'
import { useIsNear } from './use-is-near.ts'
import { useKitColors } from './use-kit-colors.ts'
import { MIN_CARD_HEIGHT } from './card-document.ts'
import { DIAGRAM_DOCUMENT, readDiagramMessage, type DiagramOrder } from './diagram-document.ts'
import { FRAME_BORDERS, OpaqueFrame } from './opaque-frame.tsx'
import { useUnsupported } from './use-unsupported.ts'

/** Heights of what was drawn: a diagram that comes back into view keeps its place while it is drawn again. */
const heights = new Map<string, number>()
const MAX_HEIGHTS = 200

type DiagramViewProps = { source: string; isLarge?: boolean }

/** A Mermaid diagram in a frame of its own. Its source as code until it is drawn, where it cannot be, and on demand. */
export function DiagramView({ source, isLarge = false }: DiagramViewProps) {
  const texts = useTexts()
  const { openDrawer } = useDrawer()
  const [place, setPlace] = useState<HTMLElement | null>(null)
  const [isDrawn, setDrawn] = useState(() => heights.has(source))
  const [isSource, setSource] = useState(false)
  const isShown = isDrawn && !isSource
  const enlarge = () =>
    openDrawer({ title: texts.diagram, isWide: true, content: <DiagramView source={source} isLarge /> })
  return (
    <figure ref={setPlace} className="ck-diagram">
      {isDrawn ? (
        <figcaption className="ck-card-head ck-chart-head">
          <span className="ck-chart-title">{texts.diagram}</span>
          <button type="button" className="ck-button" aria-pressed={isSource} onClick={() => setSource(!isSource)}>
            {texts.diagramSource}
          </button>
          {isLarge ? null : <IconButton icon="enlarge" label={texts.enlarge} onClick={enlarge} />}
        </figcaption>
      ) : null}
      <DiagramFrame place={place} text={source} isShown={isShown} onDrawn={setDrawn} />
      {isShown ? null : <CodeBlock code={source} language="mermaid" />}
    </figure>
  )
}

type DiagramFrameProps = {
  place: HTMLElement | null
  text: string
  isShown: boolean
  onDrawn: (isDrawn: boolean) => void
}

function DiagramFrame({ place, text, isShown, onDrawn }: DiagramFrameProps) {
  const texts = useTexts()
  const reportUnsupported = useUnsupported()
  const library = useLoaded(useIsNear(place) ? loadMermaid : undefined)
  const colors = useKitColors(place)
  const [height, setHeight] = useState(() => heights.get(text) ?? MIN_CARD_HEIGHT)
  const [isDead, setDead] = useState(false)
  const post = useRef<(order: DiagramOrder) => void>(undefined)
  const order = useRef<DiagramOrder>(undefined)
  const hasDrawn = useRef(false)
  useEffect(() => {
    if (!colors) return
    const { isDark, background } = colors
    order.current = { type: 'ck:diagram', text, isDark, background }
    post.current?.(order.current)
  }, [text, colors])
  const onMessage = useCallback(
    (data: unknown, reply: (message: object) => void) => {
      const message = readDiagramMessage(data)
      if (message?.type === 'ck:waiting' && order.current && library !== undefined) {
        reply({ ...order.current, library })
        post.current = reply
      }
      if (message?.type === 'ck:drawn' || message?.type === 'ck:failed') {
        hasDrawn.current = message.type === 'ck:drawn'
        onDrawn(hasDrawn.current)
      }
      // Before it is drawn, its height is that of nothing.
      if (!hasDrawn.current || !message || !('height' in message)) return
      setHeight(message.height)
      if (heights.size >= MAX_HEIGHTS) heights.clear()
      heights.set(text, message.height)
    },
    [library, onDrawn, text],
  )
  const onSilent = () => {
    setDead(true)
    onDrawn(false)
    reportUnsupported()
  }
  if (isDead) return null
  if (library === undefined) return isShown ? <div style={{ height: height + FRAME_BORDERS }} /> : null
  return (
    <OpaqueFrame
      source={DIAGRAM_DOCUMENT}
      title={texts.diagram}
      height={height}
      // Out of sight it still has its width: a diagram is laid out by measuring its words.
      className={isShown ? 'ck-diagram-frame' : 'ck-diagram-frame ck-diagram-hidden'}
      onMessage={onMessage}
      onSilent={onSilent}
    />
  )
}
