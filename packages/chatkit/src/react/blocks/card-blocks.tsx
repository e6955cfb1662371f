import { useLoaded } from '../../markdown/use-loaded.ts'
import type { UiCardBlock, WebProcessorBlock } from '../../model/display-blocks.ts'
import { useTexts, type BlockProps } from '../kit/kit-context.ts'
import { loadViews } from './load-views.ts'

/** Its title, until what draws cards is loaded. */
export function UiCardBlockView(props: BlockProps<UiCardBlock>) {
  const views = useLoaded(loadViews)
  const { card } = useTexts()
  return views ? <views.UiCardView {...props} /> : <p className="ck-cover">{props.block.content.title ?? card}</p>
}

export function WebProcessorBlockView(props: BlockProps<WebProcessorBlock>) {
  const views = useLoaded(loadViews)
  const { title, url } = props.block.content
  return views ? <views.WebProcessorView {...props} /> : <p className="ck-cover">{title ?? url}</p>
}
