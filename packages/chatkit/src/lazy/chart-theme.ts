/** The colours of the kit around an element, as its style sheet and the host made them. */
export type KitColors = {
  text: string
  muted: string
  line: string
  background: string
  font: string
  isDark: boolean
  /** For series, one after the other. */
  palette: readonly string[]
}

/** An ECharts theme in the colours of the kit. */
export function chartTheme({ text, muted, line, background, font, isDark, palette }: KitColors): object {
  const axis = {
    axisLine: { lineStyle: { color: muted } },
    axisTick: { lineStyle: { color: muted } },
    axisLabel: { color: muted },
    nameTextStyle: { color: muted },
    splitLine: { lineStyle: { color: line } },
    splitArea: { areaStyle: { color: ['transparent', 'transparent'] } },
  }
  const label = { color: text, textBorderWidth: 0 }
  const filled = { itemStyle: { borderColor: background } }
  return {
    darkMode: isDark,
    color: [...palette],
    backgroundColor: 'transparent',
    textStyle: { color: text, fontFamily: font },
    title: { textStyle: { color: text }, subtextStyle: { color: muted } },
    legend: { bottom: 0, textStyle: { color: text }, pageTextStyle: { color: muted }, inactiveColor: muted },
    tooltip: { backgroundColor: background, borderColor: line, textStyle: { color: text } },
    visualMap: { textStyle: { color: text } },
    dataZoom: { textStyle: { color: muted }, borderColor: line },
    ...{ categoryAxis: axis, valueAxis: axis, timeAxis: axis, logAxis: axis },
    grid: { left: 8, right: 16, top: 32, bottom: 8, containLabel: true },
    radar: { ...axis, axisName: { color: text }, axisLine: axis.splitLine },
    line: { symbol: 'circle', symbolSize: 6 },
    pie: { label, ...filled },
    funnel: { label: { textBorderWidth: 0 }, ...filled },
    sankey: { label },
    tree: { label },
    graph: { label, lineStyle: { color: muted } },
    gauge: { title: { color: text }, detail: { color: text }, axisLabel: { color: muted } },
  }
}
