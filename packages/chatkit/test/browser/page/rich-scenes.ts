import type { Block } from '../../../src/model/chat-message.ts'

const fence = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``

/** One short program in every language that is coloured. */
export const CODE: Readonly<Record<string, string>> = {
  python: `@cache\ndef level(station: str) -> float:\n    """Metres above zero."""\n    return readings[station][-1] * 1.5  # corrected`,
  sql: `SELECT station, avg(level) AS mean -- metres\nFROM gauges WHERE level > 1.5 AND name = 'Kaub'\nGROUP BY station;`,
  javascript: `// reads the last value\nexport const last = (list) => list.at(-1) ?? null\nconst text = \`at \${new Date(0)}\``,
  typescript: `interface Gauge { name: string; level: number }\nconst high = (gauge: Gauge): boolean => gauge.level > 2.5`,
  json: `{ "station": "Kaub", "level": 1.24, "isLow": true, "next": null }`,
  markdown: `# Levels\n\n- **Kaub** fell, see [the report](https://example.org)\n\n> measured at six`,
  yaml: `# gauges\nstations:\n  - name: Kaub\n    level: 1.24\n    low: true`,
  bash: `# count\nfor file in *.csv; do\n  echo "$file: $(wc -l < "$file")"\ndone`,
  html: `<!-- a card -->\n<section class="gauge" hidden>\n  <h1>Kaub</h1>\n</section>`,
  css: `/* the card */\n.gauge > h1::before { color: #2458d3; margin: 0 1.5rem }`,
  go: `// Level of a station.\nfunc Level(name string) (float64, error) {\n\treturn readings[name], nil\n}`,
  rust: `/// Level of a station.\nfn level(name: &str) -> Option<f64> { READINGS.get(name).copied() }`,
  java: `/** Level. */\npublic double level(String name) { return readings.getOrDefault(name, 0.0); }`,
  c: `/* level */\n#include <stdio.h>\nint main(void) { printf("%f\\n", 1.24); return 0; }`,
  cpp: `// level\nauto level = [](const std::string& name) -> double { return readings.at(name); };`,
  diff: `--- a/levels\n+++ b/levels\n@@ -1,2 +1,2 @@\n-Kaub 1.30\n+Kaub 1.24\n Köln 2.03`,
}

export const codeAnswer = (): string =>
  Object.entries(CODE)
    .map(([language, code]) => fence(language, code))
    .join('\n\n')

export const mathAnswer = (isChinese: boolean): string =>
  [
    isChinese ? '流速 $v$ 由曼宁公式给出：' : 'The speed $v$ follows from Manning’s formula:',
    '$$v = \\frac{1}{n} R_h^{2/3} \\sqrt{S}$$',
    isChinese ? '其中 \\(R_h = A / P\\)，求和为' : 'where \\(R_h = A / P\\), and the sum is',
    '\\[ \\sum_{i=1}^{n} \\int_0^{x_i} e^{-t^2}\\,dt = \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix} \\]',
    isChinese ? '费用是 $5，不是 $6。' : 'It costs $5, not $6.',
    'Not a formula: $\\frac{1}{$ and $\\nosuchcommand{x}$.',
    'Boxed $\\boxed{E = mc^2}$, struck $\\cancel{x}$, coloured $\\color{blue}{y}$.',
  ].join('\n\n')

export const FLOW = `flowchart LR
  A[Read the gauges] --> B{Below 0.80 m?}
  B -- yes --> C[Stop the barges]
  B -- no --> D[Load half]`

const SEQUENCE = `sequenceDiagram
  participant 船长
  participant 港口
  船长->>港口: 水位多高？
  港口-->>船长: 1.24 米`

export const diagramAnswer = (): string =>
  [
    fence('mermaid', FLOW),
    'And who talks to whom:',
    fence('mermaid', SEQUENCE),
    'Broken:',
    fence('mermaid', 'flowchart LR\n A[[['),
  ].join('\n\n')

const plot = (chartType: string, title: string): Block => ({
  type: 'Json2Plot',
  content: {
    chartType,
    title,
    dimensions: [{ name: 'day', displayName: 'Day', dataType: 'string' }],
    measures: [
      { name: 'kaub', displayName: 'Kaub', dataType: 'number' },
      { name: 'koeln', displayName: 'Köln', dataType: 'number' },
    ],
    rows: [
      { day: 'Mon', kaub: 1.3, koeln: 2.1 },
      { day: 'Tue', kaub: '1.24', koeln: 2.03 },
      { day: 'Wed', kaub: 1.2, koeln: null },
    ],
  },
})

export const chartBlocks = (isChinese: boolean): Block[] => [
  plot('Line', isChinese ? '水位' : 'Levels'),
  plot('Circle', isChinese ? '占比' : 'Shares'),
  {
    type: 'Chart',
    content: {
      options: [
        {
          title: { text: isChinese ? '货运量' : 'Freight' },
          legend: {},
          xAxis: { type: 'category', data: ['Kaub', 'Köln', 'Bonn'] },
          yAxis: { type: 'value', name: 't' },
          series: [
            { name: '2025', type: 'bar', data: [120, 200, 150] },
            { name: '2026', type: 'bar', data: [90, { value: 170 }, 140] },
          ],
        },
        {
          title: { text: isChinese ? '指标' : 'Scores' },
          radar: {
            indicator: [
              { name: 'Depth', max: 10 },
              { name: 'Speed', max: 10 },
              { name: 'Cost', max: 10 },
            ],
          },
          series: [{ type: 'radar', data: [{ name: 'Kaub', value: [4, 7, 3] }] }],
        },
        { series: [{ type: 'hologram', data: [1, 2, 3] }] },
      ],
    },
  },
  { type: 'Json2Plot', content: { chartType: 'Pie', title: 'Empty', dimensions: [], measures: [], rows: [] } },
]

const EVIL = 'https://evil.example'
/** What an option could do if it were trusted: load pictures, open pages, insert HTML. */
export const hostileCharts = (): Block[] => [
  {
    type: 'Chart',
    content: {
      options: [
        // Each would draw, or compute, a billion times.
        { title: { text: 'Gauge' }, series: [{ type: 'gauge', splitNumber: 1e9, data: [{ value: 1 }] }] },
        {
          title: { text: 'Radar' },
          radar: { splitNumber: 1e9, indicator: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] },
          series: [{ type: 'radar', data: [{ value: [1, 2, 3] }] }],
        },
        {
          title: { text: 'Sankey' },
          series: [
            {
              type: 'sankey',
              layoutIterations: 1e9,
              data: [{ name: 'a' }, { name: 'b' }],
              links: [{ source: 'a', target: 'b', value: 1 }],
            },
          ],
        },
        {
          title: { text: 'Calendar' },
          calendar: { range: ['0001-01-01', '9999-12-31'] },
          series: [{ type: 'heatmap', coordinateSystem: 'calendar', data: [['2026-01-01', 1]] }],
        },
        {
          title: { text: 'Ticks' },
          xAxis: { type: 'value', min: 0, max: 1e12, interval: 1, minorTick: { show: true, splitNumber: 1e9 } },
          yAxis: { type: 'time', min: 0, max: 1e14, splitNumber: 1e9 },
          series: [{ type: 'line', data: [[1, 2]] }],
        },
      ],
    },
  },
  {
    type: 'Chart',
    content: {
      options: [
        {
          backgroundColor: { image: `${EVIL}/background.png`, repeat: 'repeat' },
          title: { text: 'Hostile', link: `${EVIL}/link`, sublink: `${EVIL}/sub`, subtext: 'sub' },
          legend: { data: [{ name: 'a', icon: `image://${EVIL}/legend.png` }] },
          toolbox: {
            feature: {
              saveAsImage: {},
              dataView: { title: '<img src=x onerror=__pwned=1>' },
              myTool: { icon: `image://${EVIL}/tool.png` },
            },
          },
          graphic: [{ type: 'image', style: { image: `${EVIL}/graphic.png` } }],
          tooltip: {
            show: true,
            trigger: 'axis',
            alwaysShowContent: true,
            renderMode: 'html',
            formatter: `<img src="${EVIL}/tooltip.png" onerror="window.__pwned=1">`,
            extraCssText: `background:url(${EVIL}/css.png)`,
          },
          xAxis: {
            type: 'category',
            data: ['x', 'y'],
            axisPointer: { handle: { show: true, icon: `image://${EVIL}/handle.png` } },
          },
          yAxis: {},
          series: [
            {
              name: 'a',
              type: 'line',
              data: [{ value: 1, symbol: `image://${EVIL}/point.png` }, 2],
              symbol: ` IMAGE://${EVIL}/symbol.png`,
              symbolSize: 20,
              itemStyle: { color: { image: `${EVIL}/pattern.png`, repeat: 'repeat' } },
              lineStyle: { color: `url(${EVIL}/fill.svg#a)` },
              label: {
                show: true,
                formatter: '{pic|} {b}',
                rich: { pic: { height: 20, backgroundColor: { image: `${EVIL}/rich.png` } } },
              },
              markPoint: { symbol: `image://${EVIL}/mark.png`, data: [{ type: 'max' }] },
            },
          ],
        },
        {
          series: [
            {
              type: 'treemap',
              nodeClick: 'link',
              data: [{ name: 'open', value: 1, link: `${EVIL}/tree`, target: 'blank' }],
            },
          ],
        },
      ],
    },
  },
]
