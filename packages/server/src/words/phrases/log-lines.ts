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
  'log.moreRefused': {
    en: '{count} more requests were refused for their origin or host since then.',
    zh: '此后又有 {count} 个请求因来源或主机名被拒绝。',
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
} satisfies Record<string, Phrase>
