import type { Phrase } from '../phrases.ts'

/** In the conversation: remarks, names of the loop's own tools, questions that ask for consent. */
export const NOTICES = {
  'notice.maxTurns': { en: 'Stopped after {count} model calls.', zh: '已在 {count} 次模型调用后停止。' },
  'notice.cut': {
    en: 'The answer reached its length limit and was cut off here. Its tool calls were not run.',
    zh: '回答达到长度上限，已在此截断；其中的工具调用未执行。',
  },
  'notice.unreadable': { en: 'This turn cannot be read.', zh: '这一轮对话无法读取。' },
  'tool.ask': { en: 'Ask the user', zh: '询问用户' },
  'tool.agent': { en: 'Sub-agent', zh: '子智能体' },
  'tool.submit': { en: 'Submit result', zh: '提交结果' },
  'consent.question': { en: 'Allow “{name}” to run?', zh: '允许执行「{name}」吗？' },
  'consent.header': { en: 'Confirmation needed', zh: '需要确认' },
  'consent.approve': { en: 'Approve', zh: '同意' },
  'consent.reject': { en: 'Reject', zh: '拒绝' },
  'onedragon.consent': {
    en: 'This needs consent first: {name}: {preview}\nIt can be given until {until}, where this server shows what waits for it. A new message here withdraws it.',
    zh: '此操作需要先确认：{name}：{preview}\n请在 {until} 之前到本服务器显示待确认操作的地方确认。在这里发送新消息会撤回它。',
  },
  'onedragon.waits': { en: 'not run yet, it waits for consent', zh: '尚未执行，正在等待确认' },
  'consent.rejected': { en: 'The operation was cancelled.', zh: '操作已取消。' },
  'consent.expired': {
    en: 'The confirmation has expired. Please ask for the operation again.',
    zh: '确认已过期，请重新发起操作。',
  },
  'recovered.title': { en: 'Run resumed', zh: '运行已恢复' },
  'recovered.detail': {
    en: 'The server was interrupted; this run continues from its last recorded step.',
    zh: '服务器曾中断，本次运行已从最后记录的步骤继续。',
  },
  'retry.again': { en: 'Asking {model} again', zh: '正在重新请求模型 {model}' },
  'retry.instead': { en: 'Asking {model} instead', zh: '改用模型 {model}' },
  'retry.detail': {
    en: '{said} (attempt {attempt}, next in {delay} ms)',
    zh: '{said}（第 {attempt} 次尝试失败，{delay} 毫秒后重试）',
    forOperators: true,
  },
  'retry.plain': { en: 'No answer yet', zh: '暂时没有得到回答' },
  'retry.plainDetail': {
    en: 'The model did not answer; it is being asked again.',
    zh: '模型没有响应，正在重试。',
  },
} satisfies Record<string, Phrase>
