import type { RealLimits } from './sandbox.ts'

type Language = 'zh' | 'en'

const WORDS: Record<Language, Record<keyof RealLimits | RealLimits[keyof RealLimits] | 'title', string>> = {
  en: {
    title: 'Limits of commands:',
    memory: 'memory',
    processes: 'processes',
    cpu: 'CPU',
    disk: 'disk',
    network: 'network',
    cgroup: 'held by the kernel (control group)',
    rlimit: 'held by the kernel (resource limit)',
    watched: 'watched',
    nice: 'low priority',
    none: 'none',
    closed: 'closed',
    open: 'open',
  },
  zh: {
    title: '命令的限制：',
    memory: '内存',
    processes: '进程数',
    cpu: 'CPU',
    disk: '磁盘',
    network: '网络',
    cgroup: '由内核限制（控制组）',
    rlimit: '由内核限制（资源限制）',
    watched: '由监视限制',
    nice: '低优先级',
    none: '无',
    closed: '关闭',
    open: '开放',
  },
}

/** Which limits are real here, in one line for the operator. */
export function describeLimits(limits: RealLimits, language: Language): string {
  const words = WORDS[language]
  const parts = Object.entries(limits) as [keyof RealLimits, RealLimits[keyof RealLimits]][]
  if (language === 'zh') return words.title + parts.map(([name, held]) => `${words[name]}${words[held]}`).join('，')
  return `${words.title} ${parts.map(([name, held]) => `${words[name]} ${words[held]}`).join(', ')}`
}
