import type { UiCardBlock, WebProcessorBlock } from '../../model/display-blocks.ts'
import { useDrawer } from '../frame/drawer.tsx'
import { Icon } from '../controls/icon.tsx'
import { useTexts, type BlockProps } from '../kit/kit-context.ts'
import { CardFrame } from './card-frame.tsx'
import { PageFrame } from './page-frame.tsx'

const MIN_PAGE_HEIGHT = 320
const PAGE_HEIGHT = 480

export function UiCardView({ block }: BlockProps<UiCardBlock>) {
  const texts = useTexts()
  const { openDrawer } = useDrawer()
  const { resourceHTML, resourceUri, target, height, title = texts.card, toolCallID = block.key ?? '' } = block.content
  const card =
    resourceHTML === undefined ? (
      <PageFrame url={resourceUri ?? ''} title={title} height={height ?? PAGE_HEIGHT} />
    ) : (
      <CardFrame html={resourceHTML} title={title} height={height} toolCallID={toolCallID} />
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

export function WebProcessorView({ block }: BlockProps<WebProcessorBlock>) {
  const { url, title = url, size } = block.content
  return <PageFrame url={url} title={title} height={Math.max(MIN_PAGE_HEIGHT, size?.[1] ?? PAGE_HEIGHT)} />
}
