import type { DemoAnswer } from './answer.ts'
import { makePlan } from './plan-scenario.ts'
import type { Scenario } from './scenario.ts'
import type { SeenResult, Situation } from './situation.ts'
import { notOffered, oneTool } from './steps.ts'
import { excerpt, fenced } from './tool-text.ts'

/** What the server's own tools can show. */
export const TOOL_SCENARIOS: readonly Scenario[] = [
  {
    id: 'command',
    prompt: { en: 'Run a command in the sandbox', zh: '在沙箱里运行一条命令' },
    pattern: /run (a|some|the) (shell )?command|(运行|执行).*命令/i,
    step: oneTool({
      name: 'Bash',
      input: { command: 'uname -s && pwd && ls -la' },
      before: { en: 'I run it where it can do no harm.', zh: '我在一个不会造成损害的地方运行它。' },
      after: (result) => ({
        en: `${result.is_error ? 'It did not run' : 'It printed'}:\n\n${fenced(result.text)}\n\nThe command saw the workspace and little else. Next, try **Start something in the background**.`,
        zh: `${result.is_error ? '命令没有执行成功' : '它输出'}：\n\n${fenced(result.text)}\n\n这条命令只能看到工作区，几乎看不到别的。接下来可以试试**在后台启动一个任务**。`,
      }),
    }),
  },
  {
    id: 'background',
    prompt: { en: 'Start something in the background', zh: '在后台启动一个任务' },
    pattern: /in the background|后台/i,
    step: oneTool({
      name: 'Bash',
      input: { command: 'for n in 1 2 3 4 5; do echo step $n; sleep 1; done', run_in_background: true },
      before: { en: 'This goes on after my answer.', zh: '它会在我回答之后继续运行。' },
      after: (result) => ({
        en: `${result.is_error ? `It could not be started: ${excerpt(result.text, 300)}` : `It runs in the background${taskIn(result)}.`}\n\nIt prints a line every second for five seconds; you are told when it ends, and can go on meanwhile.`,
        zh: `${result.is_error ? `没能启动：${excerpt(result.text, 300)}` : `它在后台运行${taskIn(result)}。`}\n\n它会连续五秒、每秒输出一行；结束时会通知你，这期间可以继续聊。`,
      }),
    }),
  },
  {
    id: 'confirmation',
    prompt: { en: 'Do something that needs my confirmation', zh: '做一件需要我确认的事' },
    pattern: /needs my confirmation|ask before|需要我确认/i,
    step: oneTool({
      name: 'DemoSend',
      input: ({ language }) => ({
        to: 'team@example.com',
        text: { en: 'The release is ready.', zh: '新版本已经就绪。' }[language],
      }),
      before: { en: 'I would like to send this. Please look at it first.', zh: '我想发送下面的内容，请先过目。' },
      after: (result) => ({
        en: result.is_error
          ? `It was not sent: ${excerpt(result.text, 300)}\n\nWhat you do not agree to does not run.`
          : 'You agreed, and exactly what you saw was run. As this is a demo, nothing was really sent.',
        zh: result.is_error
          ? `没有发送：${excerpt(result.text, 300)}\n\n你不同意的操作不会执行。`
          : '你同意了，执行的正是你看到的内容。不过这只是演示，什么都没有真的发出。',
      }),
    }),
  },
  {
    id: 'chart',
    prompt: { en: 'Draw a chart', zh: '画一张图表' },
    pattern: /\b(chart|graph|plot)\b|图表|(柱状|折线|饼)图|画.*图/i,
    step: oneTool({
      name: 'RenderChart',
      input: chart,
      before: { en: 'Here it comes.', zh: '马上就好。' },
      after: () => ({
        en: 'The numbers are made up; the chart is real: drawn on the server, so the card needs no script. Thursday was the busiest day with **41 messages**. Next, try **Show me a card**.',
        zh: '数字是编的，图表是真的：由服务器绘制，因此卡片不需要任何脚本。周四最忙，有 **41 条消息**。接下来可以试试**展示一张卡片**。',
      }),
    }),
  },
  {
    id: 'card',
    prompt: { en: 'Show me a card', zh: '展示一张卡片' },
    pattern: /show me a card|卡片/i,
    step: oneTool({
      name: 'RenderHtml',
      input: card,
      before: { en: 'A small page of its own:', zh: '一个独立的小页面：' },
      after: () => ({
        en: 'It runs in a frame that can reach neither this page nor the network. Next, try **Draw a chart**.',
        zh: '它运行在一个既访问不到本页面、也访问不到网络的框架里。接下来可以试试**画一张图表**。',
      }),
    }),
  },
  {
    id: 'map',
    prompt: { en: 'Highlight Hangzhou and Ningbo on the map', zh: '在地图上高亮杭州和宁波' },
    pattern: /\bmap\b|highlight|地图|高亮/i,
    step: oneTool({
      name: 'Bash',
      input: highlight,
      before: { en: 'I show it on the map of this page.', zh: '我在页面的地图上标出来。' },
      after: () => ({
        en: 'The page around this chat was asked to do it (`map.highlight`). A page without a map ignores that.',
        zh: '已请聊天所在的页面来完成（`map.highlight`）；没有地图的页面会忽略它。',
      }),
    }),
  },
  {
    id: 'tasks',
    prompt: { en: 'Keep a task list', zh: '维护一个任务列表' },
    pattern: /task list|任务列表/i,
    step: tasks,
  },
  {
    id: 'plan',
    prompt: { en: 'Make a plan first', zh: '先给我一个计划' },
    pattern: /(make|propose|give me|need) (me )?a plan|plan (this |it )?first|方案|做.*计划|先.*计划/i,
    step: makePlan,
  },
]

/** The name of a background command, as Bash tells it. */
function taskIn({ text }: SeenResult): string {
  const id = / as ([\w-]+)\.$/.exec(text)?.[1]
  return id === undefined ? '' : ` (\`${id}\`)`
}

function chart({ language }: Situation) {
  const days = { en: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'], zh: ['周一', '周二', '周三', '周四', '周五'] }[language]
  return {
    title: { en: 'Messages per day', zh: '每天的消息数' }[language],
    option: {
      xAxis: { type: 'category', data: days },
      yAxis: { type: 'value' },
      series: [{ type: 'bar', data: [12, 30, 22, 41, 35] }],
    },
    height: 300,
  }
}

const CITIES = {
  hangzhou: /hangzhou|杭州/i,
  ningbo: /ningbo|宁波/i,
  wenzhou: /wenzhou|温州/i,
  jiaxing: /jiaxing|嘉兴/i,
  jinhua: /jinhua|金华/i,
  quzhou: /quzhou|衢州/i,
}

/** A command may speak to the page around the chat, as any tool may: through `_meta` in what it prints. */
function highlight({ question }: Situation) {
  const named = Object.entries(CITIES).flatMap(([id, pattern]) => (pattern.test(question) ? [id] : []))
  const payload = { cityIds: named.length > 0 ? named : ['hangzhou'] }
  return { command: `echo '${JSON.stringify({ ok: true, _meta: { bridge: { action: 'map.highlight', payload } } })}'` }
}

function card({ language }: Situation) {
  const words = { en: 'Hello from a card', zh: '来自卡片的问候' }[language]
  return {
    title: words,
    height: 120,
    html: `<!doctype html><meta charset="utf-8"><body style="font:16px system-ui;display:grid;place-items:center;height:90vh"><b>${words}</b></body>`,
  }
}

/** Makes a task, then ticks it off. */
function tasks(situation: Situation): DemoAnswer {
  const { language, results, offers } = situation
  const made = results.find(({ tool_name }) => tool_name === 'TaskCreate')
  const ticked = results.find(({ tool_name }) => tool_name === 'TaskUpdate')
  if (!offers('TaskCreate') && !made) return notOffered('TaskCreate', situation)
  if (!made) {
    const title = { en: 'Show the task list', zh: '展示任务列表' }[language]
    return { text: title, calls: [{ name: 'TaskCreate', arguments: { title } }] }
  }
  const id = /"id":"([^"]+)"/.exec(made.text)?.[1]
  if (!ticked && id && offers('TaskUpdate'))
    return {
      text: { en: 'Done, so I tick it off.', zh: '做完了，把它勾掉。' }[language],
      calls: [{ name: 'TaskUpdate', arguments: { id, status: 'completed' } }],
    }
  return {
    text: {
      en: 'The list is up to date: one task, done. It is kept with this conversation. Next, try **Make a plan first**: its steps become such a list.',
      zh: '列表已是最新：一个任务，已完成。它会随这个对话保存。接下来可以试试**先给我一个计划**，计划的步骤也会成为这样的列表。',
    }[language],
  }
}
