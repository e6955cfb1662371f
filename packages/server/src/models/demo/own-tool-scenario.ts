import type { JsonObject } from '../../ports.ts'
import type { DemoAnswer } from './answer.ts'
import { sampleValue } from './sample-value.ts'
import type { Scenario } from './scenario.ts'
import type { Situation } from './situation.ts'
import { fenced } from './tool-text.ts'

/** A tool that whoever runs the server has brought: with values that fit, as the demo understands none of it. */
export const ownToolScenario: Scenario = {
  id: 'own_tool',
  prompt: { en: 'Call my own tool', zh: '调用我自己的工具' },
  pattern: /\bown (tool|function)|我自己的(工具|函数)|自定义(工具|函数)/i,
  step,
}

function step({ language, question, results, brought }: Situation): DemoAnswer {
  const called = results.find(({ tool_name }) => brought.some(({ name }) => name === tool_name))
  if (called) {
    const given = fenced(JSON.stringify(called.arguments, null, 2))
    return {
      text: {
        en: `I called \`${called.tool_name}\` with\n\n${given}\n\nand it ${called.is_error ? 'failed' : 'answered'}:\n\n${fenced(called.text)}\n\nA real model chooses the values from what you write; I only made up some that fit.`,
        zh: `我调用了 \`${called.tool_name}\`，参数是\n\n${given}\n\n它${called.is_error ? '失败了' : '返回'}：\n\n${fenced(called.text)}\n\n真正的模型会根据你写的内容选择参数；我只是编了一些符合要求的。`,
      }[language],
    }
  }
  // One that is named, else the first.
  const tool = brought.find(({ name }) => question.includes(name)) ?? brought[0]
  if (tool)
    return {
      text: { en: `I call \`${tool.name}\`.`, zh: `我来调用 \`${tool.name}\`。` }[language],
      calls: [{ name: tool.name, arguments: sampleValue(tool.input) as JsonObject }],
    }
  return {
    text: {
      en: 'There is none in this session yet. A function of yours becomes a tool with `defineTool` of `@parley/tools`, in `parley.config.ts` or in the folder `tools/` of an agent; a tool in your backend is one entry of `httpTools`. Then send this again, and I call it.',
      zh: '这个会话里还没有。用 `@parley/tools` 的 `defineTool` 就能把你的函数变成工具，写在 `parley.config.ts` 里，或放在智能体的 `tools/` 文件夹里；后端里的工具则是 `httpTools` 的一项。然后再发一次这句话，我就会调用它。',
    }[language],
  }
}
