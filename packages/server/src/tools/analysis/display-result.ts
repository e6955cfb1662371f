import { z } from 'zod'
import type { Engine } from '../../store/engine.ts'
import { say } from '../../words/phrases.ts'
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
    async run({ analyse_id: id }, { session_id, signal }) {
      const row = await engine.read(() => readCharts(id))
      if (row?.session_id !== session_id) throw new Error(say('result.noAnalysis', 'en', { id }))
      const { found } = row
      if (found.state === 'none') throw new Error(say('result.analysisNoResult', 'en', { id }))
      if (found.state === 'bad') throw new Error(say('result.analysisBad', 'en', { id }))
      if (found.charts.length === 0) throw new Error(say('result.analysisEmpty', 'en', { id }))
      const ui = await chartCard(found.charts, signal)
      const isSmall = JSON.stringify(found.charts).length <= MAX_SHOWN
      return { analyse_id: id, _meta: { ui: { ...ui, ...(isSmall && { echarts_list: found.charts }) } } }
    },
  })
}
