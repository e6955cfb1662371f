import { z } from 'zod'
import type { ChartJob } from '../../foreign/draw-chart.ts'
import { LimitedProcess } from '../../foreign/limited-process.ts'
import { defineTool } from '../define-tool.ts'
import { TOOL_NAMES } from '../../words/tool-names.ts'

const MAX_OPTION_CHARACTERS = 100_000
/** In pixels, smallest first. One of them fits wherever a chat is shown, so that no text is scaled down. */
const WIDTHS = [232, 400, 680] as const
/** Around the drawing, on each side. */
const MARGIN = 8

/** Loading the library counts, too. */
const drawer = new LimitedProcess({ job: 'chart', timeLimitMs: 10_000, memoryMb: 256 })

/** A chart as a card. It is drawn here, so that the card needs no script and every client can show it. */
export const renderChart = defineTool({
  name: 'RenderChart',
  display_name: TOOL_NAMES.RenderChart,
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
    const drawings = await drawer.run<string[]>({ option: text, widths: WIDTHS, height } satisfies ChartJob)
    return {
      ok: true,
      _meta: {
        ui: { resourceHTML: page(drawings), target: 'inline', title: title ?? null, height: height + 2 * MARGIN },
      },
    }
  },
})

/** The widest drawing that fits is shown; where styles are refused, the narrowest. */
function page(drawings: readonly string[]): string {
  const rules = drawings.map((_, at) => {
    const others = drawings.flatMap((__, other) => (other === at ? [] : `.w${other}`))
    return at === 0
      ? ''
      : `@media (min-width:${WIDTHS[at]! + 2 * MARGIN}px){${others.join()}{display:none}.w${at}{display:block}}`
  })
  const style = `body{margin:${MARGIN}px}svg{display:block;max-width:100%;height:auto;margin:auto}${rules.join('')}`
  const shown = drawings.map((svg, at) => `<div class="w${at}"${at === 0 ? '' : ' hidden'}>${svg}</div>`)
  return `<!doctype html><meta charset="utf-8"><style>${style}</style>${shown.join('')}`
}
