import type { LoopTexts } from '../core/loop-env.ts'

export type Language = 'zh' | 'en'

/** Words the server makes, in the configured language. Clients of ours translate by `tool_name` themselves. */
export const TEXTS: Record<
  Language,
  LoopTexts & { recovered: { title: string; detail: string }; recoveryFailed: string }
> = {
  zh: {
    maxTurns: (count) => `已在 ${count} 次模型调用后停止。`,
    askDisplayName: '询问用户',
    agentDisplayName: '子智能体',
    submitDisplayName: '提交结果',
    recovered: { title: '运行已恢复', detail: '服务器中断后,此运行已从最后一个记录点继续。' },
    recoveryFailed: '多次恢复后仍无进展,运行已终止。',
  },
  en: {
    maxTurns: (count) => `Stopped after ${count} model calls.`,
    askDisplayName: 'Ask the user',
    agentDisplayName: 'Sub-agent',
    submitDisplayName: 'Submit the result',
    recovered: { title: 'Run recovered', detail: 'The server stopped; this run goes on from its last recorded step.' },
    recoveryFailed: 'The run made no progress after several recoveries and was ended.',
  },
}
