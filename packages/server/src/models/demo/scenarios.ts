import type { Text } from './language.ts'
import { longAnswer } from './long-answer.ts'
import type { Scenario } from './scenario.ts'
import { delegate, deploymentQuestions, environmentQuestion, oneTool, severalTools, writeThenRead } from './steps.ts'
import { answerList, excerpt, fileList } from './tool-text.ts'
import { knowledgeScenario } from './knowledge-scenario.ts'
import { analysisScenario, analysisSubAgent } from './analysis-scenario.ts'
import { compactionScenario } from './compaction-scenario.ts'
import { ownToolScenario } from './own-tool-scenario.ts'
import { surviveScenario } from './survive-scenario.ts'
import { TOOL_SCENARIOS } from './tool-scenarios.ts'

const SUB_AGENT_PROMPT: Text = {
  en: 'Demo sub-agent: look at the workspace and report what you find.',
  zh: '演示子智能体：查看工作区并报告你的发现。',
}

const ASKING_SUB_AGENT_PROMPT: Text = {
  en: 'Demo sub-agent: ask the user which environment to use, then report the answer.',
  zh: '演示子智能体：询问用户使用哪个环境，然后报告答案。',
}

/** What every server can show, whatever its tools. */
const LOOP_SCENARIOS: readonly Scenario[] = [
  surviveScenario,
  compactionScenario,
  {
    id: 'thinking',
    prompt: { en: 'Think first: which is larger, 9.11 or 9.9?', zh: '先思考再回答：9.11 和 9.9 哪个大？' },
    pattern: /think first|think (about|before)|先思考|想一想/i,
    step: ({ language }) => ({
      thinking: {
        en: 'Compare the whole parts first: both are 9. Now the fractions: 0.11 against 0.9. Written with the same number of digits, that is 0.11 against 0.90. So 9.9 is larger.',
        zh: '先比较整数部分：都是 9。再比较小数部分：0.11 和 0.9。写成相同的位数就是 0.11 和 0.90。所以 9.9 更大。',
      }[language],
      text: {
        en: '**9.9 is larger.** Written with two digits it is 9.90, and 90 hundredths are more than 11.',
        zh: '**9.9 更大。** 写成两位小数是 9.90，而 90 个百分之一大于 11 个。',
      }[language],
    }),
  },
  {
    id: 'long',
    prompt: { en: 'Write a long answer with headings, a table and code', zh: '写一个很长的回答，包含标题、表格和代码' },
    pattern: /long answer|长的?回答|很长/i,
    step: ({ language }) => ({ text: longAnswer(language) }),
  },
  {
    id: 'tool',
    prompt: { en: 'List the files in the workspace', zh: '列出工作区里的文件' },
    pattern:
      /(list|show|see|which|what) (me )?(all |the |my )*files|^\s*ls\s*$|列出.*文件|(有|看看?|查看)(哪些|什么)?文件|文件列表/i,
    step: oneTool({
      name: 'Glob',
      input: { pattern: '**/*' },
      before: { en: 'I will look at the workspace.', zh: '我来查看工作区。' },
      after: (result) => ({
        en: listed(
          fileList(result, 'en'),
          'The workspace is empty: this conversation has no files yet. Ask me to **Write a note, then read it back**, and there will be one.',
          (files) =>
            `The workspace holds:\n\n${files}\n\nI asked the tool Glob; its row above shows the call and what it answered.`,
        ),
        zh: listed(
          fileList(result, 'zh'),
          '工作区是空的：这个对话还没有任何文件。让我**写一条笔记，然后读回来**，就会有一个了。',
          (files) => `工作区里有：\n\n${files}\n\n我调用了工具 Glob；上面的条目里能看到这次调用和它的结果。`,
        ),
      }),
    }),
  },
  {
    id: 'rounds',
    prompt: { en: 'Write a note, then read it back', zh: '写一条笔记，然后读回来' },
    pattern:
      /(write|create|make) (me )?(a|the|some) (\w+ )?(note|file)|several rounds|写.*(笔记|文件)|(创建|新建).*文件|多轮/i,
    step: writeThenRead,
  },
  {
    id: 'parallel',
    prompt: { en: 'Use several tools at once', zh: '同时使用多个工具' },
    pattern: /several tools|parallel|tools at once|同时.*工具|并行/i,
    step: severalTools,
  },
  {
    id: 'subagent_question',
    prompt: { en: 'Let a sub-agent ask me something', zh: '让子智能体问我一个问题' },
    pattern: /sub-?agent.*\bask(s)? me|子(?:代理|智能体)问我|子(?:代理|智能体).*提问/i,
    step: delegate(ASKING_SUB_AGENT_PROMPT, { en: 'Ask about the environment', zh: '询问环境' }),
  },
  {
    id: 'subagent',
    prompt: { en: 'Delegate this to a sub-agent', zh: '把这件事交给子智能体' },
    pattern: /to a sub-?agent|use a sub-?agent|交给子(?:代理|智能体)|使用子(?:代理|智能体)/i,
    step: delegate(SUB_AGENT_PROMPT, { en: 'Look at the workspace', zh: '查看工作区' }),
  },
  {
    id: 'question',
    prompt: { en: 'Ask me a question', zh: '问我一个问题' },
    pattern: /ask me|问我/i,
    step: oneTool({
      name: 'AskUserQuestion',
      input: deploymentQuestions,
      before: { en: 'Two things first.', zh: '先确认两件事。' },
      after: (result) => ({
        en: `You answered:\n\n${answerList(result)}\n\nThe run waited for you, and would have waited through a restart too. Next, try **Do something that needs my confirmation**.`,
        zh: `你的回答是：\n\n${answerList(result)}\n\n运行一直在等你；即使服务器重启，它也会继续等。接下来可以试试**做一件需要我确认的事**。`,
      }),
    }),
  },
  {
    id: 'failing_tool',
    prompt: { en: 'Show me a tool that fails', zh: '演示一个失败的工具' },
    pattern: /tool that fails|failing tool|失败的工具/i,
    step: oneTool({
      name: 'Read',
      input: { file_path: 'demo/this-file-does-not-exist.txt' },
      before: { en: 'I will read a file that does not exist.', zh: '我来读取一个不存在的文件。' },
      after: (result) => ({
        en: `As expected, the tool failed: \`${excerpt(result.text, 200)}\`\n\nA failed call does not end the run: the model sees the error and goes on.`,
        zh: `不出所料，工具失败了：\`${excerpt(result.text, 200)}\`\n\n一次失败的调用不会结束运行：模型看到错误后继续。`,
      }),
    }),
  },
  {
    id: 'slow',
    prompt: { en: 'Answer slowly, so that I can stop you', zh: '慢慢回答，让我可以停止你' },
    pattern: /answer slowly|slow answer|慢慢回答|慢一点/i,
    step: ({ language }) => ({ text: SLOW_TEXT[language], slowness: 25 }),
  },
]

/** In the order in which the chat offers them. The first whose pattern fits answers. */
export const SCENARIOS: readonly Scenario[] = [
  ...LOOP_SCENARIOS,
  ownToolScenario,
  analysisScenario,
  knowledgeScenario,
  ...TOOL_SCENARIOS,
]

/** What a sub-agent of the demo does; recognised by the prompt its parent gave it. */
export const SUB_AGENT_SCENARIOS: readonly Pick<Scenario, 'pattern' | 'step'>[] = [
  analysisSubAgent,
  {
    pattern: /demo sub-agent: ask|演示子(?:代理|智能体)：询问/i,
    step: oneTool({
      name: 'AskUserQuestion',
      input: environmentQuestion,
      before: { en: 'I need a decision.', zh: '我需要一个决定。' },
      after: (result) => ({
        en: `The user chose:\n\n${answerList(result)}`,
        zh: `用户选择了：\n\n${answerList(result)}`,
      }),
    }),
  },
  {
    pattern: /demo sub-agent: look|演示子(?:代理|智能体)：查看/i,
    step: oneTool({
      name: 'Glob',
      input: { pattern: '**/*' },
      before: { en: 'Looking.', zh: '查看中。' },
      after: (result) => ({
        en: listed(
          fileList(result, 'en'),
          'The workspace holds no files yet.',
          (files) => `The workspace holds:\n\n${files}`,
        ),
        zh: listed(fileList(result, 'zh'), '工作区里还没有文件。', (files) => `工作区里有：\n\n${files}`),
      }),
    }),
  },
]

function listed(files: string | null, empty: string, found: (files: string) => string): string {
  return files === null ? empty : found(files)
}

const SLOW_TEXT: Text = {
  en: 'I take my time with this one. Every few words there is a pause, long enough to press the stop button and see what happens. What you have read so far stays. The session is free again at once, and you can go on with another message.',
  zh: '这个回答我会慢慢说。每隔几个字就停顿一下，足够你按下停止按钮看看会发生什么。已经读到的内容会保留。会话立刻恢复空闲，你可以继续发送下一条消息。',
}
