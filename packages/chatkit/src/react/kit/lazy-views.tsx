import { useLoaded } from '../../markdown/use-loaded.ts'
import type { EditFormProps } from '../messages/edit-form.tsx'
import type { ChatMessage } from '../../model/chat-message.ts'
import type { HistoryProps } from '../history/history.tsx'

/** What most visitors never see: one chunk, downloaded when one of them is. */
const loadViews = () => import('./rare-views.ts')

export function LazyHistory(props: HistoryProps) {
  const views = useLoaded(loadViews)
  return views ? <views.History {...props} /> : null
}

export function LazyEditForm(props: EditFormProps) {
  const views = useLoaded(loadViews)
  return views ? <views.EditForm {...props} /> : null
}

export function LazyStatistics(props: { message: ChatMessage }) {
  const views = useLoaded(loadViews)
  return views ? <views.Statistics {...props} /> : null
}
