import type { LoopTexts } from '../core/loop-env.ts'

export type Language = 'zh' | 'en'

/** Words the server makes, in the configured language. Clients of ours translate by `tool_name` themselves. */
export const TEXTS: Record<
  Language,
  LoopTexts & { recovered: { title: string; detail: string }; recoveryFailed: string; broken: string }
> = {
  zh: {
    maxTurns: (count) => `已在 ${count} 次模型调用后停止。`,
    cut: '回答达到长度上限,已在此截断;其中的工具调用未执行。',
    askDisplayName: '询问用户',
    agentDisplayName: '子智能体',
    submitDisplayName: '提交结果',
    recovered: { title: '运行已恢复', detail: '服务器中断后,此运行已从最后一个记录点继续。' },
    recoveryFailed: '多次恢复后仍无进展,运行已终止。',
    broken: '服务器在此运行中遇到意外错误,运行已终止。',
  },
  en: {
    maxTurns: (count) => `Stopped after ${count} model calls.`,
    cut: 'The answer reached the limit of its length and was cut here. Tool calls in it were not run.',
    askDisplayName: 'Ask the user',
    agentDisplayName: 'Sub-agent',
    submitDisplayName: 'Submit the result',
    recovered: { title: 'Run recovered', detail: 'The server stopped; this run goes on from its last recorded step.' },
    recoveryFailed: 'The run made no progress after several recoveries and was ended.',
    broken: 'The server met an unexpected error in this run and ended it.',
  },
}
