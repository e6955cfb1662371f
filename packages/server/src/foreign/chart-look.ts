/** Text below this many pixels is not read but guessed. */
const MIN_FONT_SIZE = 11
const MAX_DEPTH = 64

/** Stand for colours of the page around the drawing: the library computes with colours, and knows no names of others. */
const TEXT = '#010203'
const MUTED = '#010204'
const LINE = '#010205'
const GROUND = '#010206'
/** Seen on white and on black. */
const SERIES = ['#4a78e0', '#b97a1a', '#219c8e', '#b5508a', '#8a6fd0', '#c2553f', '#6b8a2a', '#3d8fb8']

const axis = {
  axisLine: { lineStyle: { color: MUTED } },
  axisTick: { lineStyle: { color: MUTED } },
  axisLabel: { color: MUTED, hideOverlap: true },
  nameTextStyle: { color: MUTED },
  splitLine: { lineStyle: { color: LINE } },
  splitArea: { areaStyle: { color: ['transparent', 'transparent'] } },
}
const label = { color: TEXT, textBorderWidth: 0 }
const filled = { itemStyle: { borderColor: GROUND } }

export const CHART_THEME = {
  color: SERIES,
  backgroundColor: 'transparent',
  textStyle: { color: TEXT, fontFamily: 'system-ui, sans-serif' },
  title: { textStyle: { color: TEXT }, subtextStyle: { color: MUTED } },
  legend: {
    type: 'scroll',
    bottom: 0,
    textStyle: { color: TEXT },
    pageTextStyle: { color: MUTED },
    inactiveColor: MUTED,
  },
  visualMap: { textStyle: { color: TEXT } },
  dataZoom: { textStyle: { color: MUTED }, borderColor: LINE },
  categoryAxis: axis,
  valueAxis: axis,
  timeAxis: axis,
  logAxis: axis,
  grid: { left: 8, right: 16, top: 32, bottom: 8, containLabel: true },
  radar: { ...axis, axisName: { color: TEXT }, axisLine: axis.splitLine },
  line: { symbol: 'circle', symbolSize: 6 },
  pie: { label, ...filled },
  funnel: { label, ...filled },
  sankey: { label },
  tree: { label },
  graph: { label, lineStyle: { color: MUTED } },
  gauge: { title: { color: TEXT }, detail: { color: TEXT }, axisLabel: { color: MUTED } },
}

/** What stands beside the axes needs a place of its own; without it, the axes get all of it. */
export function roomFor({ title, legend, dataZoom, grid }: Record<string, unknown>): object {
  if (grid !== undefined) return {}
  const isAbove = title !== undefined || JSON.stringify(legend ?? '').includes('"top"')
  const bottom = (legend === undefined ? 8 : 40) + (dataZoom === undefined ? 0 : 48)
  return { grid: { bottom, ...(isAbove && { top: 56 }) } }
}

/** A copy of an option in which no text is too small to be read. */
export function withReadableText(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((item) => withReadableText(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      name === 'fontSize' && typeof part === 'number'
        ? Math.max(MIN_FONT_SIZE, part)
        : withReadableText(part, depth + 1),
    ]),
  )
}

/**
 * A drawing in the colours of whatever page shows it: text and lines in the colour of its text, which follows light and
 * dark. Attributes in place of styles, which a page's policy may refuse.
 */
export function followPage(svg: string): string {
  return svg
    .replace(/<style[^>]*>[\s\S]*?<\/style>/g, '')
    .replace(/ (?:class="zr\d[^"]*"|ecmeta_\w+="[^"]*")/g, '')
    .replace(/ style="([^"]*)"/g, (_, style: string) => attributesOf(style))
    .replace(/ (fill|stroke)="(#[0-9a-f]{6})"/g, (whole, name: string, color: string) => paint(name, color) ?? whole)
}

function attributesOf(style: string): string {
  return style
    .split(';')
    .map((rule) => /^\s*([a-z-]+)\s*:\s*(.+?)\s*$/.exec(rule))
    .map((found) => (found ? ` ${found[1]}="${found[2]}"` : ''))
    .join('')
}

function paint(name: string, color: string): string | undefined {
  if (color === TEXT) return ` ${name}="currentColor"`
  // The first of two attributes counts: what the library says of the opacity of a stand-in no longer holds.
  if (color === MUTED) return ` ${name}="currentColor" ${name}-opacity=".75"`
  if (color === LINE) return ` ${name}="currentColor" ${name}-opacity=".16"`
  return color === GROUND ? ` ${name}="Canvas"` : undefined
}
