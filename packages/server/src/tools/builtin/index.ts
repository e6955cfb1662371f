import type { ToolDefinition } from '../define-tool.ts'
import { renderChart } from './render-chart.ts'
import { renderHtml } from './render-html.ts'
import { submitPlan } from '../../tasks/submit-plan.ts'
import { taskCreate, taskList, taskUpdate } from '../../tasks/task-tools.ts'

/** In the order models get them. */
export const builtinTools: readonly ToolDefinition[] = [
  taskCreate,
  taskUpdate,
  taskList,
  renderHtml,
  renderChart,
  submitPlan,
]
