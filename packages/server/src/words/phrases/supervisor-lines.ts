import type { Phrase } from '../phrases.ts'

/** What the supervisor says about the server that it keeps running. */
export const SUPERVISOR_LINES = {
  'supervisor.died': { en: 'it died of {signal}', zh: '被 {signal} 终止' },
  'supervisor.exited': { en: 'it ended with exit code {code}', zh: '以退出码 {code} 结束' },
  'supervisor.again': {
    en: 'The server is gone: {reason}. It is started again at once.',
    zh: '服务器已退出：{reason}。立即重新启动。',
  },
  'supervisor.later': {
    en: 'The server is gone: {reason}. It is started again in {seconds} s (attempt {attempt} of {attempts}).',
    zh: '服务器已退出：{reason}。{seconds} 秒后重新启动（第 {attempt} 次，最多 {attempts} 次）。',
  },
  'supervisor.back': {
    en: 'The server is back, {seconds} s after it was gone.',
    zh: '服务器已恢复，距退出 {seconds} 秒。',
  },
  'supervisor.givesUp': {
    en: 'The server was started {attempts} times in a row and did not stay for {steady} s; last time, {reason}. What it said stands above. Nothing will start it again.',
    zh: '服务器已连续启动 {attempts} 次，每次都没有坚持到 {steady} 秒；最后一次{reason}。原因见上文。不会再重新启动。',
  },
  'supervisor.cannotStart': {
    en: 'The server cannot be started: {reason}',
    zh: '无法启动服务器：{reason}',
  },
  'supervisor.gone': {
    en: 'The process that supervises this server is gone. Stopping, so that no server is left behind unnoticed.',
    zh: '监管此服务器的进程已不在。为了不留下无人看管的服务器，正在停止。',
  },
} satisfies Record<string, Phrase>
