import type { ChartJob } from '../../foreign/draw-chart.ts'
import { LimitedProcess, LimitError } from '../../foreign/limited-process.ts'
import type { JsonObject } from '../../ports.ts'

/** In pixels, smallest first. One of them fits wherever a chat is shown, so that no text is scaled down. */
const WIDTHS = [232, 400, 680] as const
/** Around the drawing, on each side. */
const MARGIN = 8
const HEIGHT = 360
/** Of all drawings of a card; what is more is left out, and said. */
const MAX_CHARACTERS = 2_000_000
const MAX_OPTION_CHARACTERS = 100_000

/** Loading the library counts, too. */
const drawer = new LimitedProcess({ job: 'chart', timeLimitMs: 10_000, memoryMb: 256 })

/** One chart at each of the widths that cards have. */
export function drawChart(option: string, height: number): Promise<string[]> {
  return drawer.run<string[]>({ option, widths: WIDTHS, height } satisfies ChartJob)
}

/**
 * Several charts as one card, below each other. One that cannot be drawn takes the others nothing; one that takes too long
 * is the last, for whatever else is to be drawn waits for this card.
 */
export async function chartCard(options: readonly JsonObject[], signal: AbortSignal): Promise<JsonObject> {
  const pictures: string[] = []
  let left = MAX_CHARACTERS
  for (const option of options) {
    const drawings = signal.aborted ? [] : await drawn(JSON.stringify(option), left)
    if (drawings === 'too slow') left = 0
    if (drawings === 'too slow' || drawings.length === 0) {
      pictures.push('<p>—</p>')
      continue
    }
    left -= drawings.reduce((sum, { length }) => sum + length, 0)
    pictures.push(pictureAt(drawings))
  }
  return {
    resourceHTML: cardPage(pictures),
    target: 'inline',
    title: null,
    height: options.length * (HEIGHT + 2 * MARGIN),
  }
}

async function drawn(option: string, left: number): Promise<string[] | 'too slow'> {
  if (option.length > MAX_OPTION_CHARACTERS || left <= 0) return []
  try {
    const drawings = await drawChart(option, HEIGHT)
    return drawings.join('').length <= left ? drawings : []
  } catch (error) {
    if (error instanceof LimitError) return 'too slow'
    return [] // Options of a program may be anything; the kit shows what they hold.
  }
}

export function cardHeight(height: number): number {
  return height + 2 * MARGIN
}

export function pictureAt(drawings: readonly string[]): string {
  return drawings.map((svg, at) => `<div class="w${at}"${at === 0 ? '' : ' hidden'}>${svg}</div>`).join('')
}

/** The widest drawing that fits is shown; where styles are refused, the narrowest. */
export function cardPage(pictures: readonly string[]): string {
  const names = WIDTHS.map((_, at) => `.w${at}`)
  const rules = WIDTHS.map((width, at) => {
    const others = names.filter((_, other) => other !== at)
    const query = `(min-width:${width + 2 * MARGIN}px)`
    return at === 0 ? '' : `@media ${query}{${others.join()}{display:none}.w${at}{display:block}}`
  })
  const style = `body{margin:${MARGIN}px}svg{display:block;max-width:100%;height:auto;margin:auto}${rules.join('')}`
  return `<!doctype html><meta charset="utf-8"><style>${style}</style>${pictures.join('')}`
}
