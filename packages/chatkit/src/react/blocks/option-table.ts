/** Numbers of a chart as rows under headings. */
export type PlainTable = { columns: string[]; rows: unknown[][] }

const MAX_ROWS = 1000

type Fields = Record<string, unknown>

/** The table behind an ECharts option, where it has plain data; `undefined` where it has not. */
export function tableOfOption(option: object): PlainTable | undefined {
  const { dataset, series, xAxis, yAxis, radar } = option as Fields
  const source = objects(dataset)[0]
  const list = objects(series)
  const table =
    (source && datasetTable(source)) ??
    categoryTable([...objects(xAxis), ...objects(yAxis)], list) ??
    radarTable(objects(radar)[0], list) ??
    linkTable(list) ??
    pairTable(list, [nameOf(objects(xAxis)[0], 'x'), nameOf(objects(yAxis)[0], 'y')]) ??
    namedTable(list)
  if (!table || table.rows.length === 0) return undefined
  return { columns: table.columns, rows: table.rows.slice(0, MAX_ROWS) }
}

function datasetTable({ source, dimensions }: Fields): PlainTable | undefined {
  const names = Array.isArray(dimensions) ? dimensions.map((item) => (isFields(item) ? nameOf(item) : text(item))) : []
  if (isFields(source)) {
    const columns = Object.keys(source)
    const [first = []] = Object.values(source).map((column) => (Array.isArray(column) ? column : []))
    return { columns, rows: first.map((_, i) => columns.map((name) => (source[name] as unknown[])[i])) }
  }
  if (!Array.isArray(source)) return undefined
  if (source.every(isFields)) {
    const columns = names.length > 0 ? names : [...new Set(source.flatMap((row) => Object.keys(row)))]
    return { columns, rows: source.map((row) => columns.map((name) => row[name])) }
  }
  const lists = source.filter((row) => Array.isArray(row))
  if (names.length > 0) return { columns: names, rows: lists }
  const [head = [], ...rows] = lists
  return { columns: head.map(text), rows }
}

/** One row a category, one column a series. */
function categoryTable(axes: readonly Fields[], series: readonly Fields[]): PlainTable | undefined {
  const axis = axes.find(({ data }) => Array.isArray(data))
  if (!axis || series.length === 0 || series.some(({ data }) => !Array.isArray(data))) return undefined
  if (series.some(({ type }) => type === 'heatmap')) return undefined
  const categories = (axis['data'] as unknown[]).map((item) => (isFields(item) ? item['value'] : item))
  const columns = [nameOf(axis), ...series.map((item, i) => nameOf(item, String(i + 1)))]
  const rows = categories.map((category, i) => [category, ...series.map(({ data }) => valueOf((data as unknown[])[i]))])
  return { columns, rows }
}

function radarTable(radar: Fields | undefined, series: readonly Fields[]): PlainTable | undefined {
  const indicators = objects(radar?.['indicator'])
  const items = series.filter(({ type }) => type === 'radar').flatMap(({ data }) => objects(data))
  if (indicators.length === 0 || items.length === 0) return undefined
  const columns = ['', ...items.map((item, i) => nameOf(item, String(i + 1)))]
  const rows = indicators.map((item, i) => [nameOf(item), ...items.map(({ value }) => (value as unknown[])?.[i])])
  return { columns, rows }
}

/** Sankey diagrams and graphs: what leads where. */
function linkTable(series: readonly Fields[]): PlainTable | undefined {
  const links = series.flatMap((item) => objects(item['links'] ?? item['edges']))
  if (links.length === 0) return undefined
  return { columns: ['', '', ''], rows: links.map(({ source, target, value }) => [source, target, value]) }
}

function pairTable(series: readonly Fields[], [x, y]: readonly [string, string]): PlainTable | undefined {
  const points = series.flatMap((item) =>
    (Array.isArray(item['data']) ? item['data'] : []).map((point) => [nameOf(item), valueOf(point)] as const),
  )
  if (points.length === 0 || points.some(([, point]) => !Array.isArray(point))) return undefined
  const width = Math.max(...points.map(([, point]) => (point as unknown[]).length))
  const names = Array.from({ length: width }, (_, i) => [x, y][i] ?? String(i + 1))
  const isOne = series.length === 1
  return {
    columns: isOne ? names : ['', ...names],
    rows: points.map(([name, point]) => [...(isOne ? [] : [name]), ...(point as unknown[])]),
  }
}

/** Pies, funnels, gauges: a name and a value. */
function namedTable(series: readonly Fields[]): PlainTable | undefined {
  const items = series.flatMap(({ data }) => objects(data))
  if (items.length === 0 || items.some(({ children }) => children !== undefined)) return undefined
  const heading = series.length === 1 ? nameOf(series[0]) : ''
  return { columns: ['', heading], rows: items.map((item) => [nameOf(item), item['value']]) }
}

const valueOf = (item: unknown): unknown => (isFields(item) ? item['value'] : item)
const nameOf = (item: Fields | undefined, fallback = ''): string => text(item?.['name']) || fallback
const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
const objects = (value: unknown): Fields[] => (Array.isArray(value) ? value : [value]).filter(isFields)
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
