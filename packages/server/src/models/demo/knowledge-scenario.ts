import type { DemoAnswer } from './answer.ts'
import type { Scenario } from './scenario.ts'
import type { Situation } from './situation.ts'
import { excerpt } from './tool-text.ts'

const QUOTED = 600

/** An answer from the built-in documents, or from those that somebody has added. */
export const knowledgeScenario: Scenario = {
  id: 'knowledge',
  prompt: { en: 'When does a confirmation expire?', zh: '确认请求多久会过期？' },
  pattern: /when does a confirmation expire|确认请求.*过期/i,
  step: (situation) => answerFromPassages(situation) ?? { text: NOTHING[situation.language] },
}

/** What the best passage says, in its words. */
export function answerFromPassages({ passages, language }: Situation): DemoAnswer | undefined {
  const [best] = passages
  if (!best) return undefined
  const said = excerpt(best.text.trim(), QUOTED).replaceAll('\n', '\n> ')
  return {
    text: {
      en: `The documents say, in “${best.from}” [${best.number}]:\n\n> ${said}\n\nI am the demo model and only quote what was found; a real model would answer in its own words, and name the same source.`,
      zh: `文档《${best.from}》是这样说的 [${best.number}]：\n\n> ${said}\n\n我是演示模型，只会引用找到的段落；真正的模型会用自己的话回答，并注明同一个来源。`,
    }[language],
  }
}

const NOTHING = {
  en: 'The knowledge base has nothing about that. Add documents with `npx parley knowledge add FOLDER`.',
  zh: '知识库里没有相关内容。可以用 `npx parley knowledge add 文件夹` 添加文档。',
}
