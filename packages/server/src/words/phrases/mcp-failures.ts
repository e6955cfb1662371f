import type { Phrase } from '../phrases.ts'

/** Why an MCP server cannot be had; `command` is its program, or the host it is at. */
export const MCP_FAILURES = {
  'mcp.command_not_found': {
    en: 'The command {command} was not found on this server.',
    zh: '服务器上找不到命令 {command}。',
  },
  'mcp.not_executable': { en: 'The command {command} could not be started.', zh: '命令 {command} 无法启动。' },
  'mcp.ended': { en: 'The connection to {command} ended.', zh: '与 {command} 的连接已断开。' },
  'mcp.timeout': { en: '{command} did not answer in time.', zh: '{command} 没有及时响应。' },
  'mcp.unauthorized': { en: '{command} refused the credentials.', zh: '{command} 拒绝了凭据。' },
  'mcp.not_found': {
    en: 'There is no MCP server at this address of {command}.',
    zh: '{command} 的该地址上没有 MCP 服务器。',
  },
  'mcp.refused': { en: 'This server may not connect to {command}.', zh: '本服务器不允许连接 {command}。' },
  'mcp.unreachable': { en: '{command} cannot be reached.', zh: '无法连接 {command}。' },
  'mcp.other': { en: '{command} could not be connected.', zh: '未能连接 {command}。' },
} satisfies Record<string, Phrase>
