import type { CrashStep } from './watch-crash.ts'

export type LandingTexts = {
  /** In place of the page's title while nobody answers. */
  gone: string
  agent: string
  defaultAgent: string
  /** What the chat opens with when there is no real model. */
  demoGreeting: string
  /** What anybody may be asked, and what only the demo model knows. */
  question: string
  demoQuestion: string
  /** What the demo model is asked for: an answer in steps that takes half a minute. */
  prompt: string
  title: string
  about: string
  start: string
  kill: string
  idle: string
  waiting: string
  steps: (step: CrashStep) => string
}

/** Chinese for any `zh…`, English for everything else. */
export function landingTexts(language: string): LandingTexts {
  return /^zh(?![a-z])/i.test(language) ? CHINESE : ENGLISH
}

const ENGLISH: LandingTexts = {
  prompt: 'Work in five steps, so that I can crash the server',
  gone: 'Parley is down',
  agent: 'Agent',
  defaultAgent: 'Default',
  demoGreeting:
    'No model is configured, so the **demo model** answers: from a script, always in the same way. The chat, the tools and the files are real. Set `PARLEY_MODEL_URL` to have a real model answer.',
  question: 'Hello, what can you do?',
  demoQuestion: 'Ask me a question',
  title: 'See it survive',
  about:
    'Kill the server in the middle of an answer: with SIGKILL, so that it can neither store nor say anything. It is started again, finds the answer in its journal and carries it on.',
  start: 'Start an answer',
  kill: 'Crash it now',
  idle: 'No answer is under way. Start one, then crash the server.',
  waiting: 'Waiting for the server …',
  steps(step) {
    const seconds = (value: number) => value.toFixed(1)
    if (step.step === 'killed') return `Process ${step.pid} killed at ${step.at.toLocaleTimeString('en-GB')}.`
    if (step.step === 'back') {
      const back = `Back after ${seconds(step.seconds)} s, as process ${step.pid}.`
      if (step.leaseSeconds === 0) return back
      return `${back} On PostgreSQL another server might be at work: the answer goes on, but not before the lease of the dead one has stood still for ${step.leaseSeconds} s.`
    }
    if (step.step === 'on') return `The answer went on after ${seconds(step.seconds)} s.`
    if (step.lost > 0) return `The answer is complete, but ${step.lost} characters that had been stored are gone.`
    return `The answer is complete. Nothing was lost: all ${step.characters} characters that you saw of it before the crash are still there.`
  },
}

const CHINESE: LandingTexts = {
  prompt: '分五步工作，让我可以让服务器崩溃',
  gone: 'Parley 已中断',
  agent: '智能体',
  defaultAgent: '默认',
  demoGreeting:
    '尚未配置模型，由**演示模型**回答：它按脚本作答，每次都一样；聊天、工具和文件都是真的。设置 `PARLEY_MODEL_URL` 后由真实模型回答。',
  question: '你好，你能做什么？',
  demoQuestion: '问我一个问题',
  title: '看它如何挺过崩溃',
  about:
    '在回答的中途杀死服务器：用 SIGKILL，它来不及存储或说出任何东西。随后它会被重新启动，在日志里找到这个回答并继续下去。',
  start: '开始一个回答',
  kill: '现在让它崩溃',
  idle: '当前没有正在进行的回答。先开始一个，再让服务器崩溃。',
  waiting: '正在等待服务器……',
  steps(step) {
    const seconds = (value: number) => value.toFixed(1)
    if (step.step === 'killed') return `进程 ${step.pid} 于 ${step.at.toLocaleTimeString('zh-CN')} 被杀死。`
    if (step.step === 'back') {
      const back = `${seconds(step.seconds)} 秒后恢复，进程号为 ${step.pid}。`
      if (step.leaseSeconds === 0) return back
      return `${back}使用 PostgreSQL 时，可能有另一台服务器在工作：要等死去的服务器的租约停滞 ${step.leaseSeconds} 秒后，回答才会继续。`
    }
    if (step.step === 'on') return `${seconds(step.seconds)} 秒后回答继续。`
    if (step.lost > 0) return `回答已完成，但崩溃前存储的内容中有 ${step.lost} 个字符不见了。`
    return `回答已完成。没有丢失任何内容：崩溃前显示的 ${step.characters} 个字符全都还在。`
  },
}
