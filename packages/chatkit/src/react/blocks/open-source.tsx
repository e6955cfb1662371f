import { useLoaded } from '../../markdown/use-loaded.ts'
import type { Source } from '../../model/display-blocks.ts'
import { useDrawer } from '../frame/drawer.tsx'
import { useKit, useTexts } from '../kit/kit-context.ts'
import { loadViews } from './load-views.ts'

/** Opens the passage in its document; `undefined` where there is none to open. */
export function useOpenSource(source: Source): (() => void) | undefined {
  const { adapter } = useKit().store
  const { openDrawer } = useDrawer()
  if (source.id === undefined || !adapter.openSource) return undefined
  return () => openDrawer({ title: source.title, content: <Passage source={source} /> })
}

function Passage({ source }: { source: Source }) {
  const views = useLoaded(loadViews)
  const { loading } = useTexts()
  return views ? <views.PassageView source={source} /> : <p className="ck-muted">{loading}</p>
}
