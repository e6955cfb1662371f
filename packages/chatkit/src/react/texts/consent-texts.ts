import { useKit } from '../kit/kit-context.ts'
import type { SkinTexts } from './en.ts'

const en = {
  runCommand: 'Run a command',
  editFile: (path: string): string => `Edit ${path}`,
  writeFile: (path: string): string => `Write ${path}`,
  whyAsked: 'Why you are asked',
  consentNeeded: 'It runs only with consent.',
  reasons: {
    rule: (number: string): string => `Rule ${number} of the policy asks for consent.`,
    agent_rule: (number: string): string => `Rule ${number} of this agent asks for consent.`,
    risk: (): string => 'Calls of this risk need consent.',
    tool: (): string => 'This tool always asks for consent.',
    host: (name: string): string => `It talks to ${name}, which nobody has named.`,
  },
  ifApproved: 'If you approve',
  exactlyThis: 'Exactly this runs, once.',
  ifNobody: 'If nobody decides',
  staysOpen: 'It waits.',
  neverRuns: (time: string, left: string): string => `It never runs. Open until ${time}${left && `, ${left} left`}.`,
  minutes: (count: number): string => `${count} min`,
  showJson: 'Show as JSON',
  sending: 'Sending…',
  decided: {
    approved: (who: string, time: string): string => `${who} approved this at ${time}.`,
    rejected: (who: string, time: string): string => `${who} rejected this at ${time}.`,
    expired: 'Nobody decided. It did not run.',
  },
}

/** Words of what asks for consent. They come with it, and hosts replace them as all others. */
export type ConsentTexts = typeof en

const zhCN: ConsentTexts = {
  runCommand: '执行命令',
  editFile: (path) => `修改 ${path}`,
  writeFile: (path) => `写入 ${path}`,
  whyAsked: '为什么问你',
  consentNeeded: '需要同意才会执行。',
  reasons: {
    rule: (number) => `策略第 ${number} 条要求同意。`,
    agent_rule: (number) => `此智能体的第 ${number} 条规则要求同意。`,
    risk: () => '这一级风险的调用需要同意。',
    tool: () => '这个工具每次都要同意。',
    host: (name) => `它要访问 ${name}，没有人提到过这个地址。`,
  },
  ifApproved: '同意之后',
  exactlyThis: '只执行上面这一条，只执行一次。',
  ifNobody: '无人处理',
  staysOpen: '一直等待。',
  neverRuns: (time, left) => `不会执行。${time} 截止${left && `，还剩 ${left}`}。`,
  minutes: (count) => `${count} 分钟`,
  showJson: '查看 JSON',
  sending: '发送中…',
  decided: {
    approved: (who, time) => `${who} 已在 ${time} 同意。`,
    rejected: (who, time) => `${who} 已在 ${time} 拒绝。`,
    expired: '无人处理，没有执行。',
  },
}

export function useConsentTexts(): SkinTexts & ConsentTexts {
  const { locale, texts } = useKit().options
  return { ...(/^zh\b/i.test(locale) ? zhCN : en), ...texts }
}
