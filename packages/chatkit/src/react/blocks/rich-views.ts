/** What `load-views.ts` loads. */
export { UiCardView, WebProcessorView } from './card-views.tsx'
export { OptionView, PlotView } from './chart-views.tsx'
export { DiagramView } from './diagram-view.tsx'
export { FileView } from './file-view.tsx'
export { PassageView } from './passage-view.tsx'
export { PlanView, TasksView } from './plan-views.tsx'
export { ResultList } from './result-list.tsx'
