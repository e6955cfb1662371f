import type { Language, Text } from './language.ts'
import { SCENARIOS } from './scenarios.ts'

/** What there is to try, by what it shows. */
const GROUPS: readonly { title: Text; ids: readonly string[] }[] = [
  {
    title: { en: 'Files and commands', zh: '文件和命令' },
    ids: ['own_tool', 'tool', 'rounds', 'parallel', 'command', 'background', 'failing_tool', 'survive'],
  },
  {
    title: { en: 'Working with you', zh: '与你协作' },
    ids: ['question', 'confirmation', 'plan', 'tasks', 'subagent', 'subagent_question', 'compaction'],
  },
  {
    title: { en: 'Showing things', zh: '展示内容' },
    ids: ['knowledge', 'analysis', 'thinking', 'long', 'chart', 'card', 'map', 'slow'],
  },
]

/** The answer to everything that the demo does not know: what it is, what it can show, how to get a real model. */
export function introduction(language: Language, question: string): string {
  const prompts = GROUPS.map(({ title, ids }) => `**${title[language]}**\n\n${promptsOf(ids, language)}`).join('\n\n')
  return language === 'zh' ? chinese(question, prompts) : english(question, prompts)
}

function promptsOf(ids: readonly string[], language: Language): string {
  return SCENARIOS.filter(({ id }) => ids.includes(id))
    .toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
    .map(({ prompt }) => `- ${prompt[language]}`)
    .join('\n')
}

function english(question: string, prompts: string): string {
  const opening = question
    ? `I have no script for “${question}”. I am the **demo model**: I recognise a few requests and always answer them in the same way; I do not understand anything else.`
    : 'Hello! I am the **demo model**: no real model is configured, so I answer from a script, always in the same way. What you see of the chat, the tools and the files is real.'
  return `${opening}

Send one of these to see what the chat can do:

${prompts}

**For real answers**, set one of these and restart:

- \`ANTHROPIC_API_KEY\`, for Claude
- \`OPENAI_API_KEY\`, for OpenAI
- \`PARLEY_MODEL_URL\`, for any OpenAI-compatible server, for example \`http://localhost:11434/v1\` (Ollama); \`PARLEY_MODEL\` names its model`
}

function chinese(question: string, prompts: string): string {
  const opening = question
    ? `“${question}”——我没有对应的脚本。我是**演示模型**：只认得几种请求，每次的回答都一样，别的都不懂。`
    : '你好！我是**演示模型**：目前没有配置真正的模型，所以由我按脚本回答，每次都一样。但你看到的聊天、工具和文件都是真的。'
  return `${opening}

发送下面任意一句，看看这个聊天能做什么：

${prompts}

**想得到真正的回答**，请设置下面其中一项，然后重新启动：

- \`ANTHROPIC_API_KEY\`：使用 Claude
- \`OPENAI_API_KEY\`：使用 OpenAI
- \`PARLEY_MODEL_URL\`：使用任何兼容 OpenAI 的服务器，例如 \`http://localhost:11434/v1\`（Ollama）；\`PARLEY_MODEL\` 指定它的模型`
}
