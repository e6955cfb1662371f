import type { Phrase } from '../phrases.ts'

/** To clients of the agent SSE protocol; the Chinese words are the protocol's own. */
export const AGENT_SSE = {
  'agentSse.confirm': {
    en: 'About to run: {name}. Do you want to continue?',
    zh: '即将执行操作: {name}，请确认是否继续？',
  },
  'agentSse.preview': { en: 'Tool: {name}\nArguments: {arguments}', zh: '工具: {name}\n参数: {arguments}' },
} satisfies Record<string, Phrase>
