import type { Language } from './language.ts'
import { SCENARIOS } from './scenarios.ts'

/** The answer to everything that the demo does not know: what it is, how to get a real model, what it can show. */
export function introduction(language: Language, question: string): string {
  const prompts = SCENARIOS.map(({ prompt }) => `- ${prompt[language]}`).join('\n')
  return language === 'zh' ? chinese(question, prompts) : english(question, prompts)
}

function english(question: string, prompts: string): string {
  return `I am the **demo model**: scripted, always the same, and not intelligent. I answer because no real model is configured.${
    question ? `\n\nYou wrote: “${question}”` : ''
  }

To use a real one, set one of these and restart:

- \`ANTHROPIC_API_KEY\`, for Claude
- \`OPENAI_API_KEY\`, for OpenAI
- \`PARLEY_MODEL_URL\`, for any OpenAI-compatible server, for example \`http://localhost:11434/v1\` (Ollama); \`PARLEY_MODEL\` names its model

Until then I can show what the chat does. Try one of these:

${prompts}`
}

function chinese(question: string, prompts: string): string {
  return `我是**演示模型**：按脚本回答，每次都一样，没有智能。因为没有配置真正的模型，所以由我来回答。${
    question ? `\n\n你写的是：“${question}”` : ''
  }

要使用真正的模型，请设置下面其中一个，然后重新启动：

- \`ANTHROPIC_API_KEY\`：使用 Claude
- \`OPENAI_API_KEY\`：使用 OpenAI
- \`PARLEY_MODEL_URL\`：使用任何兼容 OpenAI 的服务器，例如 \`http://localhost:11434/v1\`（Ollama）；\`PARLEY_MODEL\` 指定它的模型

在那之前，我可以演示这个聊天的功能。试试这些：

${prompts}`
}
