import { z } from 'zod'
import type { ChartJob } from '../../foreign/draw-chart.ts'
import { LimitedProcess } from '../../foreign/limited-process.ts'
import { defineTool } from '../define-tool.ts'

const MAX_OPTION_CHARACTERS = 100_000
const WIDTH = 720

/** Loading the library counts, too. */
const drawer = new LimitedProcess({ job: 'chart', timeLimitMs: 10_000, memoryMb: 256 })

/** A chart as a card. It is drawn here, so that the card needs no script and every client can show it. */
export const renderChart = defineTool({
  name: 'RenderChart',
  display_name: { zh: '展示图表', en: 'Show chart' },
  description:
    'Show the user a chart. `option` is an Apache ECharts option with its data inside it (JSON only, no functions).',
  provider: 'builtin',
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
    const svg = await drawer.run<string>({ option: text, width: WIDTH, height } satisfies ChartJob)
    return {
      ok: true,
      _meta: { ui: { resourceHTML: page(svg), target: 'inline', title: title ?? null, height: height + 16 } },
    }
  },
})

function page(svg: string): string {
  return `<!doctype html><meta charset="utf-8"><style>body{margin:8px}svg{width:100%;height:auto}</style>${svg}`
}
