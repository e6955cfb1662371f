import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { TOOL_NAMES } from '../../words/tool-names.ts'
import { cardHeight, cardPage, drawChart, pictureAt } from './chart-card.ts'

const MAX_OPTION_CHARACTERS = 100_000

/** A chart as a card. It is drawn here, so that the card needs no script and every client can show it. */
export const renderChart = defineTool({
  name: 'RenderChart',
  display_name: TOOL_NAMES.RenderChart,
  description:
    'Show the user a chart. `option` is an Apache ECharts option with its data inside it (JSON only, no functions).',
  provider: 'builtin',
  writesFiles: false,
  risk: 'low',
  replay: 'safe',
  input: z.object({
    option: z.record(z.string(), z.json()),
    title: z.string().max(200).optional(),
    height: z.int().min(120).max(1_200).default(360).describe('Pixels'),
  }),
  async run({ option, title, height }) {
    const text = JSON.stringify(option)
    if (text.length > MAX_OPTION_CHARACTERS)
      throw new Error(
        `The option is too large: ${text.length} characters, at most ${MAX_OPTION_CHARACTERS}. Aggregate.`,
      )
    if (!('series' in option)) throw new Error('The option has no series, so there is nothing to draw.')
    const drawings = await drawChart(text, height)
    return {
      ok: true,
      _meta: {
        ui: {
          resourceHTML: cardPage([pictureAt(drawings)]),
          target: 'inline',
          title: title ?? null,
          height: cardHeight(height),
        },
      },
    }
  },
})
