import type { Phrase } from '../phrases.ts'

/** Why a run failed. Those about a provider carry what it said, and often where the operator should look. */
export const FAILURES = {
  'failure.rate_limit': {
    en: '{model}: the provider limits the rate of requests{status}: {said}',
    zh: '{model}：模型服务商限制了请求频率{status}：{said}',
    forOperators: true,
  },
  'failure.overflow': {
    en: '{model}: the conversation does not fit into the context window{status}: {said}',
    zh: '{model}：对话超出了上下文窗口{status}：{said}',
    forOperators: true,
  },
  'failure.auth': {
    en: '{model}: the provider refused the key or the account{status}: {said}',
    zh: '{model}：模型服务商拒绝了密钥或账号{status}：{said}',
    forOperators: true,
  },
  'failure.broke': {
    en: '{model}: the connection broke off during the answer: {said}',
    zh: '{model}：回答途中连接断开：{said}',
    forOperators: true,
  },
  'failure.network': {
    en: '{model}: cannot reach the model{status}: {said}',
    zh: '{model}：无法连接模型{status}：{said}',
    forOperators: true,
  },
  'failure.server': {
    en: '{model}: the provider failed{status}: {said}',
    zh: '{model}：模型服务商出错{status}：{said}',
    forOperators: true,
  },
  'failure.refused': {
    en: '{model}: the provider refused the content{status}: {said}',
    zh: '{model}：模型服务商拒绝了这段内容{status}：{said}',
    forOperators: true,
  },
  'failure.invalid': {
    en: '{model}: the provider rejected the request{status}: {said}',
    zh: '{model}：模型服务商不接受这个请求{status}：{said}',
    forOperators: true,
  },
  'failure.empty': {
    en: '{model}: the model returned an empty answer.',
    zh: '{model}：模型返回了空的回答。',
    forOperators: true,
  },
  'failure.refusedToAnswer': { en: 'The model refused to answer.', zh: '模型拒绝回答。' },
  'failure.brokeOff': { en: 'The model’s answer broke off without an end.', zh: '模型的回答没有结束就中断了。' },
  'failure.restore': {
    en: 'The files could not be put back. Try again: what is done already is not done twice.',
    zh: '未能恢复文件。请重试：已完成的部分不会重复进行。',
  },
  'failure.recovery': {
    en: 'The run made no progress after several recoveries and was ended.',
    zh: '多次恢复后仍无进展，运行已终止。',
  },
  'failure.broken': {
    en: 'The server hit an unexpected error in this run and ended it.',
    zh: '服务器在本次运行中遇到意外错误，运行已终止。',
  },
  'failure.modelGone': { en: 'There is no model {model} any more.', zh: '模型 {model} 已不存在。' },
  'failure.agentGone': {
    en: 'The agent {agent} cannot be had here in the version that this conversation began with.',
    zh: '这里无法取得此对话开始时所用版本的智能体 {agent}。',
  },
  'failure.toolGone': { en: 'There is no tool {tool} any more.', zh: '工具 {tool} 已不存在。' },
  'failure.sameCall': {
    en: '{tool} failed {count} times in a row with the same arguments.',
    zh: '{tool} 用同样的参数连续失败了 {count} 次。',
  },
  'failure.unsatisfied': {
    en: 'The model never produced a result that fits the schema: {errors}',
    zh: '模型始终没有给出符合要求格式的结果：{errors}',
  },
} satisfies Record<string, Phrase>

/** What a failure of a provider may hold: a word about what it said, and where to look. Found only inside one. */
export const SAID = {
  'said.look': { en: '{said} Look at {names}.', zh: '{said} 请检查 {names}。' },
  'said.late': { en: 'There was no answer in time.', zh: '没有及时得到回答。' },
  'said.nothing': { en: 'no details given', zh: '没有说明原因' },
  'said.page': { en: 'it sent a web page', zh: '它返回的是一个网页' },
  'said.notModel': {
    en: 'that is a web page, not a model. Does the address end in /v1?',
    zh: '那是一个网页，不是模型接口。地址是否以 /v1 结尾？',
  },
  'said.noModel': {
    en: 'The server lists no model. Load one, or name one with PARLEY_MODEL.',
    zh: '该服务器没有列出任何模型。请加载一个，或用 PARLEY_MODEL 指定。',
  },
  'said.notJson': { en: 'it sent something that is not JSON', zh: '它返回的内容不是 JSON' },
  'said.noFinish': { en: 'its answer ended without a finish reason', zh: '回答结束时没有给出结束原因' },
  'said.unknownForm': { en: 'its answer has an unknown form', zh: '回答的格式无法识别' },
  'said.endedEarly': { en: 'the stream ended early', zh: '数据流提前结束' },
  'said.noReason': { en: 'it gave no reason', zh: '它没有给出原因' },
  'said.closed': {
    en: 'the server closed the connection without an answer',
    zh: '服务器没有响应就关闭了连接',
  },
  'said.silence': { en: 'no data for {ms} ms', zh: '{ms} 毫秒内没有收到数据' },
  'said.optionOf': {
    en: '`{option}` of the model {model} in the configuration',
    zh: '配置中模型 {model} 的 `{option}`',
  },
} satisfies Record<string, Phrase>
