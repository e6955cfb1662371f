import type { Catalogue } from '../../../texts/language.ts'
import type { CrashStep } from './watch-crash.ts'

const seconds = (value: number) => value.toFixed(1)

const en = {
  title: 'See it survive',
  about:
    'The button kills the server with SIGKILL: it can neither store nor say anything. It is started again, finds the answer in its record and carries it on.',
  kill: 'Crash it now',
  waiting: 'Waiting for the server …',
  idle: 'No answer is under way. Ask for one, then crash the server.',
  close: 'Close',
  steps(step: CrashStep) {
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
type Words = typeof en

const zh: Words = {
  title: '看它挺过崩溃',
  about: '按钮用 SIGKILL 杀死服务器：它来不及存储或说出任何东西。随后它被重新启动，在记录里找到这个回答并继续下去。',
  kill: '现在让它崩溃',
  waiting: '正在等待服务器……',
  idle: '当前没有正在进行的回答。先让它回答，再让服务器崩溃。',
  close: '关闭',
  steps(step) {
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

export const crashWords: Catalogue<Words> = { en, zh }
