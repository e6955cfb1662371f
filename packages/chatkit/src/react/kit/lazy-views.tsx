import type { ComponentProps, ComponentType, ReactNode } from 'react'
import { useLoaded } from '../../markdown/use-loaded.ts'

/** What most visitors never see: one chunk, downloaded when one of them is. */
const loadViews = () => import('./rare-views.ts')
type Views = Awaited<ReturnType<typeof loadViews>>

export const LazyAttachmentList = lazy('AttachmentList')
export const LazyBranchPicker = lazy('BranchPicker')
export const LazyConfirmationView = lazy('ConfirmationView')
export const LazyDrawerPanel = lazy('DrawerPanel')
export const LazyEditForm = lazy('EditForm')
export const LazyFeedbackComment = lazy('FeedbackComment')
export const LazyHistory = lazy('History')
export const LazyMemories = lazy('Memories')
export const LazyQuestionView = lazy('QuestionView')
export const LazyStatistics = lazy('Statistics')
export const LazyToolDetails = lazy('ToolDetails')

/** `fallback` is drawn until it is there. */
function lazy<Name extends keyof Views>(name: Name) {
  return function LazyView({ fallback, ...props }: ComponentProps<Views[Name]> & { fallback?: ReactNode }) {
    const View = useLoaded(loadViews)?.[name] as ComponentType<object> | undefined
    return View ? <View {...props} /> : fallback
  }
}
