import type { JsonObject } from '../../ports.ts'
import type { DemoAnswer } from './answer.ts'
import type { Text } from './language.ts'
import type { SeenResult, Situation } from './situation.ts'
import { excerpt, fenced, fileList, fileText } from './tool-text.ts'

type OneTool = {
  name: string
  input: JsonObject | ((situation: Situation) => JsonObject)
  before: Text
  after: (result: SeenResult) => Text
}

/** Says something, calls a tool, and says what came of it. */
export function oneTool({ name, input, before, after }: OneTool) {
  return (situation: Situation): DemoAnswer => {
    const { language, results, offers } = situation
    const result = results.find(({ tool_name }) => tool_name === name)
    if (result) return { text: after(result)[language] }
    if (!offers(name)) return notOffered(name, situation)
    const call = { name, arguments: typeof input === 'function' ? input(situation) : input }
    return { text: before[language], calls: [call] }
  }
}

export function notOffered(name: string, { language }: Situation): DemoAnswer {
  return {
    text: {
      en: `This would call the tool \`${name}\`, but it is not offered in this session (while **Plan first** is on, only tools that change nothing are).`,
      zh: `这里本应调用工具 \`${name}\`，但当前会话没有提供它（打开**先做计划**时，只提供不会改动任何东西的工具）。`,
    }[language],
  }
}

const NOTE_PATH = 'demo/note.md'

/** Three rounds, each built on the one before. */
export function writeThenRead(situation: Situation): DemoAnswer {
  const { language, results, offers } = situation
  const written = results.find(({ tool_name }) => tool_name === 'Write')
  const read = results.find(({ tool_name }) => tool_name === 'Read')
  const missing = ['Write', 'Read'].find((name) => !offers(name))
  if (missing && !written) return notOffered(missing, situation)
  if (!written) {
    const content = { en: '# A note\n\nWritten by the demo model.\n', zh: '# 一条笔记\n\n由演示模型写下。\n' }[language]
    const text = { en: 'Round one: I write the note.', zh: '第一轮：写下笔记。' }[language]
    return { text, calls: [{ name: 'Write', arguments: { file_path: NOTE_PATH, content } }] }
  }
  if (!read && !written.is_error && offers('Read')) {
    const text = { en: 'Round two: I read it back.', zh: '第二轮：读回来。' }[language]
    return { text, calls: [{ name: 'Read', arguments: { file_path: NOTE_PATH } }] }
  }
  if (!read || read.is_error || written.is_error)
    return {
      text: {
        en: `That did not work. The tool said:\n\n${fenced((read ?? written).text)}`,
        zh: `没有成功。工具返回：\n\n${fenced((read ?? written).text)}`,
      }[language],
    }
  return {
    text: {
      en: `I wrote \`${NOTE_PATH}\` and read it back. It says:\n\n${fenced(fileText(read))}\n\nThat took three rounds: write, read, answer. The file stays in the workspace; try **List the files in the workspace**.`,
      zh: `我写好了 \`${NOTE_PATH}\`，又读了回来。内容是：\n\n${fenced(fileText(read))}\n\n一共三轮：写入、读取、回答。文件会留在工作区里；试试**列出工作区里的文件**。`,
    }[language],
  }
}

const PARALLEL_PATTERNS = ['**/*.md', '**/*.ts', '**/*.json']

/** Several calls in one answer. */
export function severalTools(situation: Situation): DemoAnswer {
  const { language, results, offers } = situation
  if (!offers('Glob') && results.length === 0) return notOffered('Glob', situation)
  if (results.length === 0)
    return {
      text: { en: 'Three searches in one answer:', zh: '一次回答中进行三个搜索：' }[language],
      calls: PARALLEL_PATTERNS.map((pattern) => ({ name: 'Glob', arguments: { pattern } })),
    }
  const parts = results.map((result) => {
    const files = fileList(result, language) ?? { en: 'no such file', zh: '没有这样的文件' }[language]
    return `**\`${excerpt(JSON.stringify(result.arguments['pattern'] ?? '').slice(1, -1), 60)}\`**\n\n${files}`
  })
  const intro = { en: 'All three ran side by side, and all three came back:', zh: '三个搜索同时进行，都返回了：' }[
    language
  ]
  const outro = {
    en: 'Only tools that change nothing run side by side; the others wait for each other. Try **Write a note, then read it back**, and then this again.',
    zh: '只有不改动任何东西的工具才会同时执行，其他的会依次等待。先试试**写一条笔记，然后读回来**，再回来试一次。',
  }[language]
  return { text: [intro, ...parts, outro].join('\n\n') }
}

/** Hands a prompt to a sub-agent and passes on its report. */
export function delegate(prompt: Text, description: Text) {
  return (situation: Situation) =>
    oneTool({
      name: 'Agent',
      input: ({ language }) => ({ description: description[language], prompt: prompt[language] }),
      before: { en: 'I hand this to a sub-agent.', zh: '我把它交给子智能体。' },
      after: (result) => ({
        en: `The sub-agent reports:\n\n> ${excerpt(result.text).replaceAll('\n', '\n> ')}\n\nIt worked in a conversation of its own; open its row above to read it.`,
        zh: `子智能体报告：\n\n> ${excerpt(result.text).replaceAll('\n', '\n> ')}\n\n它在自己的对话里工作；展开上面的条目就能看到。`,
      }),
    })(situation)
}

/** Two questions at once: one choice, and several. */
export function deploymentQuestions({ language }: Situation): JsonObject {
  const features = {
    question: { en: 'Which checks should run?', zh: '需要运行哪些检查？' }[language],
    header: { en: 'Checks', zh: '检查' }[language],
    options: [
      { label: { en: 'Unit tests', zh: '单元测试' }[language] },
      { label: { en: 'Browser tests', zh: '浏览器测试' }[language] },
      { label: { en: 'Benchmarks', zh: '性能测试' }[language] },
    ],
    multiSelect: true,
  }
  return { questions: [environment(language), features] }
}

export function environmentQuestion({ language }: Situation): JsonObject {
  return { questions: [environment(language)] }
}

function environment(language: Situation['language']): JsonObject {
  return {
    question: { en: 'Where should this be deployed?', zh: '要部署到哪里？' }[language],
    header: { en: 'Environment', zh: '环境' }[language],
    options: [
      { label: 'staging', description: { en: 'For testing', zh: '测试环境' }[language] },
      { label: 'production', description: { en: 'For everybody', zh: '生产环境' }[language] },
    ],
    multiSelect: false,
  }
}
