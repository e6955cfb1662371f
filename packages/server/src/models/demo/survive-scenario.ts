import type { DemoAnswer } from './answer.ts'
import type { Text } from './language.ts'
import type { Scenario } from './scenario.ts'
import type { Situation } from './situation.ts'
import { notOffered } from './steps.ts'

/** Long enough for somebody to read along and to reach for a button. */
const SLOWNESS = 5

/** What is said in each step, before its note is written. */
const STEPS: readonly Text[] = [
  {
    en: 'Your message was stored before I saw it. Had the server died right then, it would have found it again and asked me all the same.',
    zh: '你的消息在我看到之前就已存储。即使服务器当时崩溃，恢复后也会找到它，再来问我。',
  },
  {
    en: 'These words are stored before you read them, every few milliseconds. Whatever stands on your screen stands in the journal, too.',
    zh: '这些文字在你读到之前就已存储，每隔几毫秒一次。屏幕上有的，日志里都有。',
  },
  {
    en: 'Now would be a good moment: crash the server in the middle of this sentence. This step begins again; the ones above stay as they are.',
    zh: '现在正是时候：在这句话中途让服务器崩溃吧。这一步会重新开始，上面的步骤保持原样。',
  },
  {
    en: 'Before a tool is called, the call is stored; what it answered is stored before I see it. So no note is written twice.',
    zh: '工具在调用之前，调用已存储；它的结果在我看到之前也已存储。所以没有一条笔记会写两遍。',
  },
  {
    en: 'And the end is stored before it is shown. An answer that just stops, and nobody knows why, is not an answer.',
    zh: '结尾也在显示之前存储。戛然而止、谁也不知道为什么的回答，不算回答。',
  },
]

const TITLE: Text = { en: 'Step {step} of {steps}.', zh: '第 {step} 步，共 {steps} 步。' }

const END: Text = {
  en: 'All five steps are done, and there are five notes in `demo/`, each written once. If the server was killed meanwhile, you can see where: an answer breaks off, and the next one takes its step up again. **Nothing was lost, and nothing was done twice.**',
  zh: '五个步骤都完成了，`demo/` 里有五条笔记，每条只写了一次。如果服务器中途被杀死，你能看到是在哪里：一段回答中断了，下一段重新开始那一步。**没有丢失任何内容，也没有重复做任何事。**',
}

/** The server was killed between a call and its result: nobody knows, and so nobody repeats it. */
const UNKNOWN: Text = {
  en: 'All five steps are done, but a note is in doubt: its row above says what happened. A call that may have run already is not repeated; that is for you to decide.',
  zh: '五个步骤都完成了，但有一条笔记不能确定是否写成：上面的条目说明了经过。可能已经执行过的调用不会自动重复，由你来决定。',
}

/** Five rounds, each with a call: what is finished stays, whatever happens to the server. */
export const surviveScenario: Scenario = {
  id: 'survive',
  prompt: { en: 'Work in five steps, so that I can crash the server', zh: '分五步工作，让我可以让服务器崩溃' },
  pattern: /crash the server|survive a crash|服务器崩溃|经受崩溃/i,
  step,
}

function step(situation: Situation): DemoAnswer {
  const { language, results, offers } = situation
  const number = results.length + 1
  const words = STEPS[results.length]
  if (!words) return { text: results.some(({ is_error }) => is_error) ? UNKNOWN[language] : END[language] }
  if (!offers('Write')) return notOffered('Write', situation)
  const title = TITLE[language].replace('{step}', String(number)).replace('{steps}', String(STEPS.length))
  const note = { file_path: `demo/step-${number}.md`, content: `${words[language]}\n` }
  return {
    text: `**${title}** ${words[language]}`,
    slowness: SLOWNESS,
    calls: [{ name: 'Write', arguments: note }],
  }
}
