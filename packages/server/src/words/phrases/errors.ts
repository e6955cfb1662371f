import type { ErrorCode } from '@parley/protocol'
import type { Phrase } from '../phrases.ts'

/** One plain sentence for every code: what visitors read of failures that are not theirs, and what opens a detail that has no translation. */
export const ERROR_PHRASES = {
  'error.unauthorized': { en: 'You are not signed in.', zh: '尚未登录，或凭据无效。' },
  'error.forbidden': { en: 'This is not allowed.', zh: '不允许这样操作。' },
  'error.not_found': { en: 'This does not exist.', zh: '没有找到所请求的内容。' },
  'error.session_not_found': { en: 'There is no such session.', zh: '没有这个会话。' },
  'error.invalid_payload': { en: 'The request is not valid.', zh: '请求内容有误。' },
  'error.invalid_path': { en: 'The path is not valid.', zh: '路径无效。' },
  'error.payload_too_large': { en: 'This is too large.', zh: '内容过大。' },
  'error.session_busy': { en: 'This session is already running.', zh: '会话正在运行中。' },
  'error.not_running': { en: 'Nothing is running.', zh: '当前没有正在运行的任务。' },
  'error.interrupted': { en: 'The run was stopped.', zh: '运行已停止。' },
  'error.ask_not_pending': { en: 'That question is not waiting for an answer.', zh: '这个问题不在等待回答。' },
  'error.invalid_answer': { en: 'The answer does not fit the questions.', zh: '回答与问题不符。' },
  'error.confirmation_required': {
    en: 'A step needs consent, and nobody is there to give it.',
    zh: '有一步操作需要确认，而现在没有人可以确认。',
  },
  'error.already_decided': { en: 'This has already been decided.', zh: '这项确认已经有了决定。' },
  'error.already_exists': { en: 'There is one of this name already.', zh: '已经有同名的内容。' },
  'error.recovery_failed': {
    en: 'The run could not be resumed after an interruption. Please try again.',
    zh: '中断后未能恢复运行，请重试。',
  },
  'error.model_not_available': { en: 'This model is not available.', zh: '这个模型不可用。' },
  'error.agent_not_available': { en: 'This agent is not available.', zh: '这个智能体不可用。' },
  'error.output_schema_invalid': {
    en: 'output_schema is not a usable JSON Schema.',
    zh: 'output_schema 不是可用的 JSON Schema。',
  },
  'error.output_schema_unsatisfied': {
    en: 'The model did not produce a result in the requested form.',
    zh: '模型没有给出符合要求格式的结果。',
  },
  'error.llm_error': {
    en: 'The model could not answer right now. Please try again later.',
    zh: '模型暂时无法回答，请稍后再试。',
  },
  'error.llm_stream_incomplete': {
    en: 'The answer was cut off. Please try again.',
    zh: '回答中途断开了，请重试。',
  },
  'error.context_overflow': {
    en: 'This conversation has become too long. Please start a new one.',
    zh: '对话太长，模型无法继续。请新建一个对话。',
  },
  'error.tool_error': { en: 'A tool failed, and the run was ended.', zh: '工具出错，运行已终止。' },
  'error.compaction_not_needed': { en: 'There is nothing to compact.', zh: '没有可以压缩的内容。' },
  'error.compaction_failed': { en: 'The conversation could not be compacted.', zh: '未能压缩对话。' },
  'error.rate_limited': { en: 'Too many requests. Try again in a moment.', zh: '请求过于频繁，请稍后再试。' },
  'error.timeout': { en: 'This took too long.', zh: '等待超时。' },
  'error.storage_full': {
    en: 'The disk of the server is full, so nothing was stored. Try again when there is room.',
    zh: '服务器磁盘已满，内容没有保存。请在腾出空间后重试。',
  },
  'error.storage_locked': {
    en: 'Another program has locked the database of the server, so nothing was stored. Try again in a moment.',
    zh: '服务器的数据库被其他程序锁定，内容没有保存。请稍后再试。',
  },
  'error.storage_unavailable': {
    en: 'The storage of the server cannot be used just now. Try again in a moment.',
    zh: '服务器的存储暂时不可用，请稍后再试。',
  },
  'error.sign_in_unavailable': {
    en: 'Your sign-in cannot be checked just now. Try again in a moment.',
    zh: '暂时无法核实你的登录，请稍后再试。',
  },
  'error.method_not_allowed': { en: 'This address does not take that method.', zh: '此地址不支持该请求方法。' },
  'error.not_supported': { en: 'This server does not support this.', zh: '服务器不支持此操作。' },
  'error.internal_error': {
    en: 'Something went wrong on our side. Please try again.',
    zh: '服务器出错了，请重试。',
  },
} satisfies Record<`error.${ErrorCode}`, Phrase>

/** Refusals that people meet, and so read in their own language. Others keep their English detail behind the code's sentence. */
export const REFUSALS = {
  'refused.internal': {
    en: 'Something went wrong on our side. The server log has the details.',
    zh: '服务器出错了，详情见服务器日志。',
  },
  'refused.signIn': {
    en: 'Sign in, or send an API key as "Authorization: Bearer …".',
    zh: '请先登录，或用 “Authorization: Bearer …” 发送 API 密钥。',
  },
  'refused.signInFirst': { en: 'Sign in first.', zh: '请先登录。' },
  'refused.credential': {
    en: 'This credential is not valid, has expired or was revoked.',
    zh: '凭据无效、已过期或已被吊销。',
  },
  'refused.expelled': {
    en: 'This credential was revoked, has expired, or its login has ended.',
    zh: '凭据已被吊销、已过期，或登录已结束。',
  },
  'refused.link': {
    en: 'This sign-in link was used before, is too old or was never valid. `parley sign-in-link` prints a new one.',
    zh: '登录链接已被使用、已过期或无效。运行 `parley sign-in-link` 可获得新的链接。',
  },
  'refused.signInFailed': {
    en: 'This sign-in did not work, or took too long. Begin it again.',
    zh: '登录未成功或已超时。请重新登录。',
  },
  'refused.notInvited': {
    en: 'You may not use this server yet. Ask one of its owners for an invitation.',
    zh: '你还不能使用此服务器。请向其所有者申请邀请。',
  },
  'refused.linkAlone': {
    en: 'A sign-in link only works when it is opened by itself.',
    zh: '登录链接只能直接在浏览器中打开。',
  },
  'refused.noUser': { en: 'This user no longer exists.', zh: '该用户已不存在。' },
  'refused.guesses': {
    en: 'Too many failed sign-ins from this address. Try again in {seconds} s.',
    zh: '此地址登录失败次数过多，请在 {seconds} 秒后重试。',
  },
  'refused.full': {
    en: 'This server has as many connections as it takes. Try again later.',
    zh: '服务器连接数已满，请稍后再试。',
  },
  'refused.host': {
    en: 'This server does not answer to the name {host}. Add it with PARLEY_PUBLIC_URL.',
    zh: '此服务器不以 {host} 这个名称提供服务。可用 PARLEY_PUBLIC_URL 添加。',
  },
  'refused.origin': {
    en: 'Pages of {origin} may not use this server. Add the origin with PARLEY_ALLOWED_ORIGINS.',
    zh: '来自 {origin} 的网页不能使用此服务器。可用 PARLEY_ALLOWED_ORIGINS 添加该来源。',
  },
  'refused.accountOnly': {
    en: 'Only the account itself may do this, not its visitors.',
    zh: '只有账户本身可以执行此操作，访客不能。',
  },
  'refused.scope': { en: 'This token was made without the scope {scope}.', zh: '此令牌没有 {scope} 权限。' },
  'refused.accountFields': {
    en: 'Only the account itself may set {fields}, not its visitors.',
    zh: '只有账户本身可以设置 {fields}，访客不能。',
  },
  'refused.feedbackOften': {
    en: 'Feedback in this session was given or changed {count} times within a minute. Try again in {seconds} s.',
    zh: '此会话的反馈在一分钟内已提交或更改 {count} 次。请在 {seconds} 秒后重试。',
  },
  'refused.crashHere': {
    en: 'The server can only be crashed from the machine it runs on, by its own address and not through a proxy.',
    zh: '只能在服务器所在的机器上、通过它自己的地址让它崩溃，不能经过代理。',
  },
  'refused.crashSupervised': {
    en: 'Nothing would start this server again. Start it with `npm start` or `parley serve`.',
    zh: '这个服务器崩溃后没有程序会重新启动它。请用 `npm start` 或 `parley serve` 启动。',
  },
  'refused.crashReal': {
    en: 'A real model is configured. Only a server with the demo model is crashed for show.',
    zh: '已配置真实模型。只有使用演示模型的服务器才会演示崩溃。',
  },
  'refused.crashIdle': {
    en: 'No demo answer is under way. Ask for one, then crash the server in the middle of it.',
    zh: '当前没有正在进行的演示回答。请先提问，再在回答中途让服务器崩溃。',
  },
  'refused.crashOthers': {
    en: 'Another model is answering, too. Its answer would be interrupted; wait for its end.',
    zh: '另一个模型也在回答，它的回答会被打断。请等它结束。',
  },
  'refused.crashAgain': {
    en: 'This answer has survived {count} crashes in a row. After one more the server would take it for their cause and end it; let it get on first.',
    zh: '这个回答已经连续经历了 {count} 次崩溃。再来一次，服务器就会认为是它引起的并结束它；请先让它继续。',
  },
  'refused.crashOften': {
    en: 'The server was started again {count} times in a row. Let it run for a minute first; that is in {seconds} s.',
    zh: '服务器已连续重新启动 {count} 次。请先让它运行一分钟；还需 {seconds} 秒。',
  },
  'refused.owner': { en: 'Only an owner of this server may do this.', zh: '只有此服务器的所有者可以执行此操作。' },
  'refused.noSession': { en: 'There is no session {id}.', zh: '没有会话 {id}。' },
  'refused.sessionDeleted': {
    en: 'The session was deleted while the run was under way.',
    zh: '会话在运行过程中被删除。',
  },
  'refused.busy': {
    en: 'Session {id} is already running. Wait for chat:end, or send chat:stop.',
    zh: '会话 {id} 正在运行中。请等待 chat:end，或发送 chat:stop。',
  },
  'refused.notRunning': {
    en: 'Session {id} is not running; use chat:send.',
    zh: '会话 {id} 没有在运行，请使用 chat:send。',
  },
  'refused.empty': { en: 'The message is empty.', zh: '消息为空。' },
  'refused.notPending': {
    en: 'That question is not waiting for an answer (any more).',
    zh: '这个问题（已经）不在等待回答。',
  },
  'refused.answered': { en: 'That question has been answered already.', zh: '这个问题已经回答过了。' },
  'refused.decided': { en: 'This confirmation is {decision} already.', zh: '这项确认已有决定（{decision}）。' },
  'refused.justCameUp': {
    en: 'The question has only just come up. Send the answer again.',
    zh: '问题刚刚出现，请重新发送回答。',
  },
  'refused.noConfirmation': { en: 'There is no confirmation {id}.', zh: '没有确认请求 {id}。' },
  'refused.noModel': {
    en: 'There is no model {model}; GET /api/config/models lists those that are.',
    zh: '没有模型 {model}；可用的模型见 GET /api/config/models。',
  },
  'refused.noModelOfAgent': {
    en: 'The agent {agent} wants the model {model}, which this server does not have. Name another one, or change its agent.yaml.',
    zh: '智能体 {agent} 需要模型 {model}，但此服务器没有该模型。请指定其他模型，或修改它的 agent.yaml。',
  },
  'refused.noKey': { en: 'There is no API key {id}.', zh: '没有 API 密钥 {id}。' },
  'refused.noSkill': {
    en: 'There is no skill {id}. GET /api/skills lists them.',
    zh: '没有技能 {id}。可用的技能见 GET /api/skills。',
  },
  'refused.tooLong': { en: 'The run took too long and was stopped.', zh: '运行超时，已停止。' },
  'refused.runFailed': { en: 'The run failed.', zh: '运行失败。' },
  'refused.shutdown': {
    en: 'The server is shutting down; the run goes on.',
    zh: '服务器正在关闭；运行会继续。',
  },
  'refused.notSupported': { en: 'This server does not support {what}.', zh: '此服务器不支持 {what}。' },
  'refused.fileSize': { en: 'The file has more than {bytes} bytes.', zh: '文件超过了 {bytes} 字节。' },
  'refused.attachmentSize': {
    en: 'An attachment has {bytes} bytes; at most {most} are taken.',
    zh: '附件有 {bytes} 字节，最多接受 {most} 字节。',
  },
  'refused.exists': { en: '{path} exists already. Choose another name.', zh: '{path} 已存在，请换一个名称。' },
  'refused.outside': { en: '{path} is outside the workspace.', zh: '{path} 不在工作区内。' },
} satisfies Record<string, Phrase>
