import { useLoaded } from '../../markdown/use-loaded.ts'
import type { UiCardBlock, WebProcessorBlock } from '../../model/display-blocks.ts'
import { useDrawer } from '../drawer.tsx'
import { Icon } from '../icon.tsx'
import { useTexts, type BlockProps } from '../kit-context.ts'
import { loadViews } from './load-views.ts'
import type { PageFrameProps } from './page-frame.tsx'

const MIN_PAGE_HEIGHT = 320
const PAGE_HEIGHT = 480

export function UiCardBlockView({ block }: BlockProps<UiCardBlock>) {
  const texts = useTexts()
  const { openDrawer } = useDrawer()
  const { resourceHTML, resourceUri, target, height, title = texts.card, toolCallID = block.key ?? '' } = block.content
  const card =
    resourceHTML === undefined ? (
      <Page url={resourceUri ?? ''} title={title} height={height ?? PAGE_HEIGHT} />
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
  return <Page url={url} title={title} height={Math.max(MIN_PAGE_HEIGHT, size?.[1] ?? PAGE_HEIGHT)} />
}

function Page(props: PageFrameProps) {
  const views = useLoaded(loadViews)
  return views ? <views.PageFrame {...props} /> : <p className="ck-cover">{props.title}</p>
}
