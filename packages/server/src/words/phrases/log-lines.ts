import type { Phrase } from '../phrases.ts'

/** For the operator, in the log: what failed, what to do about it, and where. */
export const LOG_LINES = {
  'log.origin': {
    en: 'A page of {origin} was refused. If it may use this server, add its origin to PARLEY_ALLOWED_ORIGINS (`allowedOrigins` in the configuration).',
    zh: '已拒绝来自 {origin} 的网页。如果允许它使用此服务器，请把该来源加入 PARLEY_ALLOWED_ORIGINS（配置中的 `allowedOrigins`）。',
  },
  'log.host': {
    en: 'A request for the name {host} was refused. If people reach this server under that name, set PARLEY_PUBLIC_URL (`publicUrl` in the configuration).',
    zh: '已拒绝发往 {host} 的请求。如果人们通过这个名称访问此服务器，请设置 PARLEY_PUBLIC_URL（配置中的 `publicUrl`）。',
  },
  'log.oidc': {
    en: 'A sign-in with OpenID Connect was refused: {oidc}.',
    zh: '拒绝了一次 OpenID Connect 登录：{oidc}。',
  },
  'log.jwt.form': {
    en: 'A token that looks like a JWT of your product was refused: it cannot be read, or is longer than 8 KiB.',
    zh: '已拒绝一个形似产品 JWT 的令牌：无法解析，或超过 8 KiB。',
  },
  'log.jwt.algorithm': {
    en: 'A token of your product was refused: it is signed with an algorithm that `visitors.algorithms` does not list.',
    zh: '已拒绝产品令牌：签名算法不在 `visitors.algorithms` 中。',
  },
  'log.jwt.key': {
    en: 'A token of your product was refused: its key ("kid": "{jwt}") is none of those that your product publishes, or several fit.',
    zh: '已拒绝产品令牌：其密钥（"kid": "{jwt}"）不在产品公布的公钥中，或有多个公钥符合。',
  },
  'log.jwt.signature': {
    en: 'A token of your product was refused: its signature is wrong.',
    zh: '已拒绝产品令牌：签名错误。',
  },
  'log.jwt.claim': {
    en: 'A token of your product was refused: {jwt} is missing or not what `visitors` in the configuration says.',
    zh: '已拒绝产品令牌：{jwt} 缺失，或与配置中的 `visitors` 不符。',
  },
  'log.jwt.time': {
    en: 'A token of your product was refused: it is not valid now ("{jwt}"). If this happens to fresh tokens, compare the clocks of both machines.',
    zh: '已拒绝产品令牌：当前不在有效期内（"{jwt}"）。如果新签发的令牌也这样，请核对两台机器的时钟。',
  },
  'log.jwt.life': {
    en: 'A token of your product was refused: it was made to live {jwt} s, longer than `visitors.maxAgeSeconds`.',
    zh: '已拒绝产品令牌：其有效期为 {jwt} 秒，超过 `visitors.maxAgeSeconds`。',
  },
  'log.jwt.subject': {
    en: 'A token of your product was refused: the claim that `visitors.subject` names is not 1 to 200 characters of text.',
    zh: '已拒绝产品令牌：`visitors.subject` 指定的声明不是 1 到 200 个字符的文本。',
  },
  'log.jwt.revoked': {
    en: 'A token of your product was refused: its visitor was signed out of this server, and it was made before, or less than `visitors.clockSkewSeconds` later.',
    zh: '已拒绝产品令牌：该访客已在此服务器上被登出，而令牌的签发时间早于登出，或在其后不到 `visitors.clockSkewSeconds` 秒。',
  },
  'log.moreRefused': {
    en: '{count} more requests were refused for their origin, host or token since then.',
    zh: '此后又有 {count} 个请求因来源、主机名或令牌被拒绝。',
  },
  'log.crash': {
    en: 'The owner wants to see a crash: process {pid} ends itself with SIGKILL.',
    zh: '所有者要求演示崩溃：进程 {pid} 用 SIGKILL 结束自己。',
  },
  'log.modelFailed': { en: 'A model call failed. {said}', zh: '模型调用失败。{said}' },
  'log.modelAgain': {
    en: 'A model call failed; {model} is asked in {delay} ms. {said}',
    zh: '模型调用失败，{delay} 毫秒后请求 {model}。{said}',
  },
  'log.mcpDown': {
    en: 'The MCP server "{server}" is down: {reason}. Its tools are missing; next attempt in {ms} ms. Look at `mcpServers.{server}` in the configuration.',
    zh: 'MCP 服务器“{server}”不可用：{reason}。它的工具暂时缺失，{ms} 毫秒后重试。请检查配置中的 `mcpServers.{server}`。',
  },
  'log.mcpCall': {
    en: 'A call to an MCP server failed. {said} Look at `mcpServers.{server}` in the configuration, and at what that server logs.',
    zh: '调用 MCP 服务器失败。{said} 请检查配置中的 `mcpServers.{server}` 以及该服务器自己的日志。',
  },
  'log.agentLoaded': { en: 'Agent {agent}: version {version} is current', zh: '智能体 {agent}：当前版本为 {version}' },
  'log.agentNotCurrent': {
    en: 'Agent {agent}: the folder is version {version}, which is not the current one. To use it: parley agents use {agent} {version}',
    zh: '智能体 {agent}：文件夹对应版本 {version}，但它不是当前版本。要使用它，请运行：parley agents use {agent} {version}',
  },
  'log.agentRemoved': {
    en: 'Agent {agent}: its folder is gone. New sessions cannot have it; those that began with it go on.',
    zh: '智能体 {agent}：文件夹已不存在。新会话不能再使用它，已开始的会话不受影响。',
  },
  'log.agentCopy': {
    en: 'Agent {agent}: the copy of its version {version} in the data directory is not what was stored, and is made anew.',
    zh: '智能体 {agent}：数据目录中版本 {version} 的副本与存储的内容不符，正在重新生成。',
  },
  'log.agentProblem': {
    en: 'Agent {agent}: its folder cannot be loaded, so the last good version stays in force.\n{problem}',
    zh: '智能体 {agent}：文件夹无法加载，沿用上一个可用的版本。\n{problem}',
  },
  'log.callBackHere': {
    en: 'Backends of HTTP tools are told to call back to {url}, which only this machine knows. Set publicUrl (PARLEY_PUBLIC_URL) to where they reach this server.',
    zh: 'HTTP 工具的后端会被告知回调 {url}，而这个地址只有本机可用。请将 publicUrl（PARLEY_PUBLIC_URL）设为后端可访问本服务器的地址。',
  },
  'log.httpCall': {
    en: 'A call of the HTTP tool {tool} at {host} failed. {said}',
    zh: '调用位于 {host} 的 HTTP 工具 {tool} 失败。{said}',
  },
} satisfies Record<string, Phrase>
