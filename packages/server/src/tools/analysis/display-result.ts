import { z } from 'zod'
import type { Engine } from '../../store/engine.ts'
import { TOOL_NAMES } from '../../words/tool-names.ts'
import { chartCard } from '../builtin/chart-card.ts'
import { defineTool, type ToolDefinition } from '../define-tool.ts'
import { readCharts } from './analysis-rows.ts'

/** Characters of JSON that go into the conversation, beside the pictures. What is more only they show. */
const MAX_SHOWN = 256_000

/** Shows the charts of an analysis. */
export function displayResult({ engine }: { engine: Engine }): ToolDefinition {
  return defineTool({
    name: 'display_analyse_by_code_result',
    display_name: TOOL_NAMES.display_analyse_by_code_result,
    description: 'Show the user the charts of an analysis that analyse_by_code has made.',
    provider: 'builtin',
    risk: 'low',
    replay: 'safe',
    input: z.object({ analyse_id: z.int().min(1) }),
    async run({ analyse_id }, { session_id }) {
      const row = await engine.read(() => readCharts(analyse_id))
      if (row?.session_id !== session_id) throw new Error(`There is no analysis ${analyse_id} in this conversation.`)
      const { found } = row
      if (found.state === 'none') throw new Error(`Analysis ${analyse_id} has left no result yet.`)
      if (found.state === 'bad') throw new Error(`What analysis ${analyse_id} has left is no list of charts.`)
      if (found.charts.length === 0) throw new Error(`Analysis ${analyse_id} has left no charts.`)
      const ui = await chartCard(found.charts)
      const isSmall = JSON.stringify(found.charts).length <= MAX_SHOWN
      return { analyse_id, _meta: { ui: { ...ui, ...(isSmall && { echarts_list: found.charts }) } } }
    },
  })
}
