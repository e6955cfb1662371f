import type { JsonObject } from '../../ports.ts'
import type { DemoAnswer } from './answer.ts'
import type { Text } from './language.ts'
import type { DemoPlan } from './read-plan.ts'
import type { Situation } from './situation.ts'
import { notOffered } from './steps.ts'
import { fileList } from './tool-text.ts'

const NOTE_PATH = 'demo/plan.md'
/** Slow enough to watch the steps being ticked off. */
const SLOWNESS = 6
const MAX_WORDS = 120

const REFUSES =
  /^\s*(no[.!]?\s*$|no,? (thanks|thank)|do not (run|carry)|don['’]t|(i )?(refuse|reject)|cancel|forget it)|拒绝|不采用|不执行|不要|取消|算了|^\s*不/i
const CARRIES_OUT =
  /\brun (it|this|that|the plan)\b|carry (it |this |that |the plan )?out|go ahead|execute|approve|proceed|do it|start|continue|^\s*(yes|ok|okay)\b|执行|批准|同意|开始|继续|按.*(计划|方案)|^\s*(好|可以|行)/i

const STEPS: readonly Text[] = [
  { en: 'Look at the workspace', zh: '查看工作区' },
  { en: `Write a note to ${NOTE_PATH}`, zh: `把笔记写到 ${NOTE_PATH}` },
  { en: 'Read the note back to check it', zh: '读回笔记进行检查' },
]

/**
 * The demo's plan, from where the conversation stands: proposed, changed and refused while planning, carried out step by
 * step afterwards. Nothing when the question is about something else.
 */
export function planStep(situation: Situation, isKnown: boolean): DemoAnswer | undefined {
  const { question, offers, plan, results } = situation
  if (!offers('SubmitPlan')) {
    const isAsked = plan !== undefined && CARRIES_OUT.test(question)
    return isAsked ? carryOut(situation, plan) : undefined
  }
  if (results.some(({ tool_name }) => tool_name === 'SubmitPlan')) return proposed(situation)
  if (plan && REFUSES.test(question)) return refused(situation)
  if (isKnown) return undefined
  return propose(situation, plan ? changed(plan, question) : stepsIn(situation))
}

/** What the scenario's own prompt does; outside of planning mode it says how to get there. */
export function makePlan(situation: Situation): DemoAnswer {
  const { language, offers, results } = situation
  if (results.some(({ tool_name }) => tool_name === 'SubmitPlan')) return proposed(situation)
  if (offers('SubmitPlan')) return propose(situation, stepsIn(situation))
  return {
    text: {
      en: 'Turn on **Plan first** below the input (on the wire: `mode: "planning"`) and send this again. Then I propose a plan, change nothing, and wait for your decision.',
      zh: '请先打开输入框下方的**先做计划**（协议里是 `mode: "planning"`），再发送一次。我会先提出计划，不做任何改动，等你决定。',
    }[language],
  }
}

function propose({ language }: Situation, steps: string[]): DemoAnswer {
  const plan = steps.map((step, n) => `${n + 1}. ${step}`).join('\n')
  return {
    text: {
      en: 'I only planned so far; nothing was changed. This is what I would do:',
      zh: '目前我只做了规划，没有改动任何东西。我打算这样做：',
    }[language],
    calls: [{ name: 'SubmitPlan', arguments: { plan, steps } }],
  }
}

function proposed({ language }: Situation): DemoAnswer {
  return {
    text: {
      en: 'That is my plan. Your decision:\n\n- **Run the plan**: I do it step by step.\n- **Change**: say what should be different, and I propose a new plan.\n- **Reject**: nothing happens.',
      zh: '这就是我的计划，由你决定：\n\n- **执行计划**：我会一步一步完成。\n- **修改**：写下要改的地方，我会重新提出计划。\n- **拒绝**：什么都不会发生。',
    }[language],
  }
}

function refused({ language }: Situation): DemoAnswer {
  return {
    text: {
      en: 'All right, nothing will be done. Write what you would rather have, and I propose another plan; or turn off **Plan first** and ask for something else.',
      zh: '好的，什么都不会做。写下你更想要的，我会重新提出计划；或者关闭**先做计划**，换一件事。',
    }[language],
  }
}

function stepsIn({ language }: Situation): string[] {
  return STEPS.map((step) => step[language])
}

/** A script cannot understand what was asked for, but it can put it into the plan. */
function changed({ steps }: DemoPlan, question: string): string[] {
  const words = question.replace(/\s+/g, ' ').trim()
  return [...steps.map(({ title }) => title), words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words]
}

/** One answer a step: the last one is ticked off, the next begun. */
function carryOut(situation: Situation, { steps }: DemoPlan): DemoAnswer {
  const { language, results, offers } = situation
  if (!offers('TaskUpdate') && results.length === 0) return notOffered('TaskUpdate', situation)
  const withStatus = (status: string) =>
    new Set(results.flatMap((result) => (result.arguments['status'] === status ? [result.arguments['id']] : [])))
  const [begun, done] = [withStatus('in_progress'), withStatus('completed')]
  if (
    steps.every(({ id }) => done.has(id)) ||
    results.some(({ tool_name, is_error }) => tool_name === 'TaskUpdate' && is_error)
  )
    return finished(situation, steps)
  const current = steps.find(({ id }) => begun.has(id) && !done.has(id))
  const at = steps.findIndex(({ id }) => !begun.has(id))
  const next = steps[at]
  const update = (id: string, status: string) => ({ name: 'TaskUpdate', arguments: { id, status } })
  return {
    text: next
      ? {
          en: `**Step ${at + 1} of ${steps.length}:** ${next.title}`,
          zh: `**第 ${at + 1} 步，共 ${steps.length} 步：**${next.title}`,
        }[language]
      : { en: 'That was the last step.', zh: '最后一步也完成了。' }[language],
    calls: [
      ...(current ? [update(current.id, 'completed')] : []),
      ...(next ? [update(next.id, 'in_progress'), ...workOf(at, situation)] : []),
    ],
    slowness: SLOWNESS,
  }
}

/** What the demo really does in a step; steps that somebody else thought of are only ticked off. */
function workOf(step: number, { language, offers }: Situation): { name: string; arguments: JsonObject }[] {
  const content = {
    en: '# Done\n\nWritten by the demo model while it ran its plan.\n',
    zh: '# 已执行\n\n演示模型在执行计划时写下的笔记。\n',
  }[language]
  const work = [
    { name: 'Glob', arguments: { pattern: '**/*' } },
    { name: 'Write', arguments: { file_path: NOTE_PATH, content } },
    { name: 'Read', arguments: { file_path: NOTE_PATH } },
  ][step]
  return work && offers(work.name) ? [work] : []
}

function finished({ language, results }: Situation, steps: DemoPlan['steps']): DemoAnswer {
  const failed = results.filter(({ is_error }) => is_error)
  const found = results.find(({ tool_name }) => tool_name === 'Glob')
  const files = found && fileList(found, language)
  const ticked = steps.map(({ title }) => `- ✓ ${title}`).join('\n')
  if (failed.length > 0)
    return {
      text: {
        en: `I stopped: ${failed.length} of my calls failed. Their rows above say why.`,
        zh: `我停下了：有 ${failed.length} 次调用失败，原因见上面对应的条目。`,
      }[language],
    }
  return {
    text: {
      en: `All steps of the plan are done:\n\n${ticked}\n\n${files ? `Before that, the workspace held:\n\n${files}\n\n` : ''}It now has a note as well, \`${NOTE_PATH}\`. Try **List the files in the workspace** to see it.`,
      zh: `计划已执行完毕：\n\n${ticked}\n\n${files ? `工作区里原来有：\n\n${files}\n\n` : ''}现在还多了一条笔记 \`${NOTE_PATH}\`。试试**列出工作区里的文件**来查看它。`,
    }[language],
  }
}
