import type { Phrase } from '../phrases.ts'

/** What stands as the result of a call that did not run, or not to its end. The model always gets the English one. */
export const RESULTS = {
  'result.cancelled': { en: 'cancelled by the user', zh: '已被用户取消' },
  'result.earlierRefused': {
    en: 'not run: an earlier call of this answer was not allowed',
    zh: '未执行：同一回答中前面的调用没有获准',
  },
  'result.unknown': {
    en: 'outcome unknown: the server stopped while this was running',
    zh: '结果未知：执行过程中服务器停止了',
  },
  'result.shutdown': {
    en: 'stopped by shutdown; effects may be partial',
    zh: '因服务器关闭而停止，可能只完成了一部分',
  },
  'result.lost': { en: 'lost with its server', zh: '随服务器一起丢失' },
  'result.expired': {
    en: 'expired: nobody decided in time, so it was not run',
    zh: '已过期：没有人及时决定，因此未执行',
  },
  'result.rejected': { en: 'rejected by the user', zh: '已被用户拒绝' },
  'result.rejectedWith': { en: 'rejected by the user: {said}', zh: '已被用户拒绝：{said}' },
  'result.withdrawn': {
    en: 'The user sent a new message instead of answering.',
    zh: '用户没有回答，而是发送了新消息。',
  },
  'result.noConsent': {
    en: "{tool} needs a person's consent, and nobody is there to give it.",
    zh: '{tool} 需要有人同意才能执行，而现在没有人可以同意。',
  },
  'result.denied': { en: '{tool} is not allowed with these arguments.', zh: '不允许用这些参数执行 {tool}。' },
  'result.undecided': { en: 'Nobody could decide whether {tool} may run.', zh: '无法判断是否允许执行 {tool}。' },
  'result.noTool': { en: 'There is no tool named {tool}.', zh: '没有名为 {tool} 的工具。' },
  'result.badJson': { en: 'The arguments of {tool} are not valid JSON.', zh: '{tool} 的参数不是有效的 JSON。' },
  'result.accepted': { en: 'accepted', zh: '已接受' },
  'result.demoSend': {
    en: 'Nothing was sent; this is a demo. It would have told {to}: {text}',
    zh: '这是演示，没有真的发送。本应告诉 {to}：{text}',
  },
  'result.mcpDown': {
    en: 'The MCP server "{server}" is not running. It is being restarted; try again in a moment.',
    zh: 'MCP 服务器“{server}”没有运行，正在重启，请稍后再试。',
    forOperators: true,
  },
  'result.mcpEnded': {
    en: 'The MCP server "{server}" ended while {tool} was running; whether it took effect is unknown. The server is being restarted.',
    zh: 'MCP 服务器“{server}”在执行 {tool} 时退出了，不知道是否已生效。服务器正在重启。',
    forOperators: true,
  },
  'result.mcpSilent': {
    en: 'The MCP server "{server}" did not answer {tool} within {ms} ms; the call was cancelled.',
    zh: 'MCP 服务器“{server}”在 {ms} 毫秒内没有响应 {tool}，调用已取消。',
    forOperators: true,
  },
  'result.mcpFailed': {
    en: 'The MCP server "{server}" could not run {tool}: {said}',
    zh: 'MCP 服务器“{server}”无法执行 {tool}：{said}',
    forOperators: true,
  },
  'result.mcpGone': {
    en: 'The MCP server "{server}" no longer offers {tool}.',
    zh: 'MCP 服务器“{server}”不再提供 {tool}。',
    forOperators: true,
  },
  'result.httpStatus': {
    en: 'The backend of {tool} answered with status {status}.',
    zh: '{tool} 的后端返回了状态 {status}。',
  },
  'result.httpStatusAgain': {
    en: 'Whether an earlier request for {tool} took effect is unknown; after it the backend answered with status {status}.',
    zh: '不知道此前对 {tool} 的请求是否已生效；之后其后端返回了状态 {status}。',
  },
  'result.httpRedirect': {
    en: 'The backend of {tool} answered with a redirect, which is not followed.',
    zh: '{tool} 的后端返回了重定向，不会跟随。',
  },
  'result.httpKind': {
    en: 'The backend of {tool} answered with {kind} in place of JSON.',
    zh: '{tool} 的后端返回的不是 JSON，而是 {kind}。',
  },
  'result.httpLong': {
    en: 'The backend of {tool} answered with more than {bytes} bytes; nothing of it was used.',
    zh: '{tool} 的后端返回的内容超过 {bytes} 字节，没有采用。',
  },
  'result.httpDeep': {
    en: 'The backend of {tool} answered with JSON that nests deeper than {levels} levels; nothing of it was used.',
    zh: '{tool} 的后端返回的 JSON 嵌套超过 {levels} 层，没有采用。',
  },
  'result.httpNoJson': {
    en: 'The backend of {tool} answered with something that is no JSON.',
    zh: '{tool} 的后端返回的不是有效的 JSON。',
  },
  'result.httpNeither': {
    en: 'The backend of {tool} answered with neither a result nor an error, or with both.',
    zh: '{tool} 的后端既没有返回结果也没有返回错误，或两者都返回了。',
  },
  'result.httpDown': {
    en: 'The backend of {tool} cannot be reached; nothing was done.',
    zh: '无法连接 {tool} 的后端，没有执行任何操作。',
  },
  'result.httpDownAgain': {
    en: 'The backend of {tool} can no longer be reached; whether an earlier request of this call took effect is unknown.',
    zh: '已无法连接 {tool} 的后端，不知道这次调用之前的请求是否已生效。',
  },
  'result.httpBroke': {
    en: 'The connection to the backend of {tool} broke after the call was sent; whether it took effect is unknown.',
    zh: '发送调用后，与 {tool} 的后端的连接中断了，不知道是否已生效。',
  },
  'result.httpSilent': {
    en: 'The backend of {tool} did not answer within {ms} ms; whether it took effect is unknown.',
    zh: '{tool} 的后端在 {ms} 毫秒内没有响应，不知道是否已生效。',
  },
  'result.httpNeverCame': {
    en: 'The backend of {tool} accepted the call and sent no result within {ms} ms; whether it took effect is unknown.',
    zh: '{tool} 的后端接受了调用，但在 {ms} 毫秒内没有送来结果，不知道是否已生效。',
  },
  'result.httpRefused': {
    en: 'The address of {tool} may not be asked by this server.',
    zh: '不允许这台服务器访问 {tool} 的地址。',
  },
  'result.operator': {
    en: '{said} The operator of this server should check `{what}`.',
    zh: '{said} 请服务器管理员检查 `{what}`。',
    forOperators: true,
  },
  'result.noAnalysis': {
    en: 'There is no analysis {id} in this conversation.',
    zh: '这个对话里没有编号为 {id} 的分析。',
  },
  'result.analysisBusy': {
    en: 'Analysis {id} is being worked on; wait for its result.',
    zh: '分析 {id} 正在进行，请等待它的结果。',
  },
  'result.analysisLong': {
    en: 'Analysis {id} has become too long. Begin a new one, and say in its goal what is known.',
    zh: '分析 {id} 已经太长。请开始新的分析，并在目标中说明已知的内容。',
  },
  'result.analysisFailed': { en: 'Analysis {id} failed: {said}', zh: '分析 {id} 失败：{said}' },
  'result.analysisNoResult': { en: 'Analysis {id} has left no result yet.', zh: '分析 {id} 还没有结果。' },
  'result.analysisBad': {
    en: 'What analysis {id} has left is no list of charts.',
    zh: '分析 {id} 留下的不是图表列表。',
  },
  'result.analysisEmpty': { en: 'Analysis {id} has left no charts.', zh: '分析 {id} 没有留下图表。' },
  'result.plain': { en: 'This tool is not available right now.', zh: '这个工具暂时不可用。' },
} satisfies Record<string, Phrase>
