/** What `load-views.ts` loads. */
export { CardFrame } from './card-frame.tsx'
export { OptionView, PlotView } from './chart-views.tsx'
export { DiagramView } from './diagram-view.tsx'
export { FileView } from './file-view.tsx'
export { PageFrame } from './page-frame.tsx'
export { PlanView, TasksView } from './plan-views.tsx'
