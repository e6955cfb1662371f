import type { DemoAnswer } from './answer.ts'
import type { Text } from './language.ts'
import type { Scenario } from './scenario.ts'
import type { Situation } from './situation.ts'
import { notOffered } from './steps.ts'
import { excerpt } from './tool-text.ts'

const REQUEST =
  /^\s*(?:please )?(?:remember|keep in mind|don't forget)(?: that)?\b[:,]?\s+|^\s*请?(?:你)?(?:帮我)?(?:记住|记得|记一下|别忘了)[：:，,]?\s*/iu
const FORGET = /^\s*(?:please )?forget\b|^\s*请?(?:你)?(?:忘记|忘掉|忘了)/iu

/** Something that is said in one conversation and known in the next. */
export const memoryScenario: Scenario = {
  id: 'memory',
  prompt: { en: 'Remember that my favourite fruit is the mango', zh: '记住我最喜欢的水果是芒果' },
  pattern: new RegExp(`${REQUEST.source}|${FORGET.source}`, 'iu'),
  step: (situation) => (FORGET.test(situation.question) ? forgetStep(situation) : rememberStep(situation)),
}

/** What was noted in another conversation and belongs here, in the words that it was noted in. */
export function answerFromMemories({ memories, language }: Situation): DemoAnswer | undefined {
  if (memories.length === 0) return undefined
  const list = memories.map(({ content }) => `- ${content}`).join('\n')
  return { text: TOLD[language].replace('{list}', () => list) }
}

function rememberStep(situation: Situation): DemoAnswer {
  const { language, question, results, offers } = situation
  const kept = results.find(({ tool_name }) => tool_name === 'Remember')
  if (kept?.is_error) return { text: REFUSED[language].replace('{why}', () => excerpt(kept.text, 200)) }
  if (kept) return { text: KEPT[language] }
  if (!offers('Remember')) return notOffered('Remember', situation)
  const content = question.replace(REQUEST, '').trim() || question
  return {
    text: { en: 'I note it, in your words.', zh: '我用你的原话记下来。' }[language],
    calls: [{ name: 'Remember', arguments: { content: content.slice(0, 500) } }],
  }
}

function forgetStep(situation: Situation): DemoAnswer {
  const { language, results, offers, memories } = situation
  const gone = results.find(({ tool_name }) => tool_name === 'ForgetMemory')
  if (gone)
    return { text: (gone.is_error ? REFUSED : FORGOTTEN)[language].replace('{why}', () => excerpt(gone.text, 200)) }
  if (memories.length === 0) return { text: UNKNOWN[language] }
  if (!offers('ForgetMemory')) return notOffered('ForgetMemory', situation)
  return {
    text: { en: 'I forget it.', zh: '我这就忘掉。' }[language],
    calls: [{ name: 'ForgetMemory', arguments: { ids: memories.map(({ id }) => id) } }],
  }
}

const KEPT: Text = {
  en: 'Noted. I know it in other conversations too: open a new one and ask **What is my favourite fruit?** Say **Forget my favourite fruit** and it is gone.',
  zh: '记住了，在别的对话里我也会知道：打开一个新对话，问**我最喜欢的水果是什么？** 说**忘记我最喜欢的水果**，就会删掉。',
}
const TOLD: Text = {
  en: 'You told me in another conversation:\n\n{list}\n\nI am the demo model and only repeat what belongs to your question; a real model would answer with it.',
  zh: '你在别的对话里告诉过我：\n\n{list}\n\n我是演示模型，只会重复和你的问题有关的内容；真正的模型会据此回答。',
}
const FORGOTTEN: Text = { en: 'Forgotten, for good.', zh: '已经彻底忘掉了。' }
const UNKNOWN: Text = { en: 'I remember nothing about that.', zh: '关于这个，我什么都没记住。' }
const REFUSED: Text = { en: 'That did not work: {why}', zh: '没有成功：{why}' }
