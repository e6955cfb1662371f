import { parseBoundedJson } from '@parley/protocol/wire'
import type { DemoAnswer } from './answer.ts'
import type { Language, Text } from './language.ts'
import type { Scenario } from './scenario.ts'
import type { SeenResult, Situation } from './situation.ts'
import { notOffered } from './steps.ts'
import { excerpt, fenced } from './tool-text.ts'

const ANALYSE = 'analyse_by_code'
const DISPLAY = 'display_analyse_by_code_result'
const WRITE = 'write_text_file'
const EXECUTE = 'execute_javascript_code_by_path'
const FILE = 'main.mjs'

const GOAL: Text = {
  en: 'Demo analysis: make up a year of sales in three regions, add them up by month and by region, and draw both.',
  zh: '演示分析：编造三个地区一年的销售额，按月份和地区汇总，并画出来。',
}

/** A program that is really written, really run, and draws what it computed. */
export const analysisScenario: Scenario = {
  id: 'analysis',
  prompt: { en: 'Analyse some figures with a program', zh: '用程序分析一组数据' },
  pattern: /analy[sz]e|analysis|分析/i,
  step,
}

function step(situation: Situation): DemoAnswer {
  const { language, results, offers } = situation
  const analysed = results.find(({ tool_name }) => tool_name === ANALYSE)
  const shown = results.find(({ tool_name }) => tool_name === DISPLAY)
  const missing = [ANALYSE, DISPLAY].find((name) => !offers(name))
  if (missing && !analysed) return notOffered(missing, situation)
  if (!analysed)
    return {
      text: { en: 'A program shall do the sums.', zh: '让程序来计算。' }[language],
      calls: [{ name: ANALYSE, arguments: { goal: GOAL[language] } }],
    }
  const { analyse_id, said } = readAnalysis(analysed)
  if (analysed.is_error || analyse_id === undefined)
    return {
      text: {
        en: `The analysis did not succeed:\n\n${fenced(analysed.text)}`,
        zh: `分析没有成功：\n\n${fenced(analysed.text)}`,
      }[language],
    }
  if (!shown)
    return {
      text: { en: 'Done; here are its charts.', zh: '算好了，图表如下。' }[language],
      calls: [{ name: DISPLAY, arguments: { analyse_id } }],
    }
  return {
    text: {
      en: `${excerpt(said)}\n\nThe figures are made up; the program is real: a sub-agent wrote it, ran it in the sandbox without a network, and left these charts. Next, try **Run a command in the sandbox**.`,
      zh: `${excerpt(said)}\n\n数字是编的，程序是真的：子智能体写好程序，在没有网络的沙箱里运行，留下了这些图表。接下来可以试试**在沙箱里运行一条命令**。`,
    }[language],
  }
}

function readAnalysis({ text }: SeenResult): { analyse_id: number | undefined; said: string } {
  const value = (parseBoundedJson(text) ?? {}) as {
    analyse_id?: number
    result?: { content?: { text?: string }[] }
  }
  return { analyse_id: value.analyse_id, said: value.result?.content?.[0]?.text ?? '' }
}

/** What the sub-agent of the analysis does. */
export const analysisSubAgent: Pick<Scenario, 'pattern' | 'step'> = {
  pattern: /^demo analysis:|^演示分析：/i,
  step(situation) {
    const { language, results, offers } = situation
    const ran = results.find(({ tool_name }) => tool_name === EXECUTE)
    if (!offers(EXECUTE)) return notOffered(EXECUTE, situation)
    if (!results.some(({ tool_name }) => tool_name === WRITE))
      return {
        text: { en: 'I write the program.', zh: '我来写程序。' }[language],
        calls: [{ name: WRITE, arguments: { file_path: FILE, content: programIn(language) } }],
      }
    if (!ran)
      return {
        text: { en: 'I run it.', zh: '运行它。' }[language],
        calls: [{ name: EXECUTE, arguments: { code_file_path: FILE } }],
      }
    const printed = /<stdout>([\s\S]*?)<\/stdout>/.exec(ran.text)?.[1]?.trim()
    return { text: printed || excerpt(ran.text) }
  },
}

const WORDS: Record<Language, Record<string, unknown>> = {
  en: {
    months: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
    regions: ['North', 'South', 'West'],
    byMonth: 'Sales by month',
    byRegion: 'Sales by region',
    said: 'Over the year **{total}** were sold. The best month was **{best}**; **{region}** sold most, with {part} % of all.',
  },
  zh: {
    months: Array.from({ length: 12 }, (_, index) => `${index + 1}月`),
    regions: ['北区', '南区', '西区'],
    byMonth: '每月销售额',
    byRegion: '各地区销售额',
    said: '全年共售出 **{total}**。最好的月份是**{best}**；**{region}**卖得最多，占 {part}%。',
  },
}

function programIn(language: Language): string {
  return `import { writeFileSync } from 'node:fs'

const words = ${JSON.stringify(WORDS[language])}

// Made up, and the same every time.
const sales = words.regions.map((_, region) =>
  words.months.map((_, month) => Math.round(300 + 40 * region + 120 * Math.sin((month + region * 2) / 2) + 9 * month)),
)
const sum = (list) => list.reduce((all, one) => all + one, 0)
const byRegion = sales.map(sum)
const byMonth = words.months.map((_, month) => sum(sales.map((row) => row[month])))
const total = sum(byRegion)
const largest = (list) => list.indexOf(Math.max(...list))

writeFileSync('result.json', JSON.stringify({
  echarts_list: [
    {
      title: { text: words.byMonth },
      legend: {},
      tooltip: { trigger: 'axis' },
      xAxis: { type: 'category', data: words.months },
      yAxis: { type: 'value' },
      series: sales.map((data, region) => ({ name: words.regions[region], type: 'bar', stack: 'all', data })),
    },
    {
      title: { text: words.byRegion },
      legend: {},
      tooltip: { trigger: 'item' },
      series: [{ type: 'pie', radius: ['35%', '65%'], data: byRegion.map((value, at) => ({ name: words.regions[at], value })) }],
    },
  ],
}))

const facts = {
  total,
  best: words.months[largest(byMonth)],
  region: words.regions[largest(byRegion)],
  part: Math.round((100 * Math.max(...byRegion)) / total),
}
console.log(words.said.replace(/{(\\w+)}/g, (_, name) => facts[name]))
`
}
