import { useLoaded } from '../../markdown/use-loaded.ts'
import type { PlanBlock, TasksBlock } from '../../model/agent-blocks.ts'
import { useTexts, type BlockProps } from '../kit/kit-context.ts'
import { loadViews } from './load-views.ts'

/** Few conversations have plans: what draws them comes with the first. */
export function PlanBlockView(props: BlockProps<PlanBlock>) {
  const views = useLoaded(loadViews)
  const { plan } = useTexts()
  return views ? <views.PlanView {...props} /> : <p className="ck-notice">{plan}</p>
}

export function TasksBlockView(props: BlockProps<TasksBlock>) {
  const views = useLoaded(loadViews)
  const { tasks } = useTexts()
  return views ? <views.TasksView {...props} /> : <p className="ck-notice">{tasks}</p>
}
