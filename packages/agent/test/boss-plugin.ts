import type { AgentPlugin } from '@parley/agent'

export type Executed = { tool: string; args: unknown; sessionId: string }

/** The tools of the source text's examples, which keep what was done. */
export function bossPlugin(): { plugin: AgentPlugin; executed: Executed[] } {
  const executed: Executed[] = []
  const plugin: AgentPlugin = {
    name: 'boss',
    version: '1.0.0',
    description: 'Bosses of a game',
    tools: [
      {
        name: 'get_boss_stats',
        description: 'Counts bosses',
        parameters: [{ name: 'world', type: 'string', description: 'Where', required: true }],
        readOnly: true,
        async execute(args, { sessionId }) {
          executed.push({ tool: 'get_boss_stats', args, sessionId })
          return { success: true, content: '5 bosses', data: { total: 5 } }
        },
      },
      {
        name: 'delete_boss_config',
        description: 'Deletes configurations of bosses',
        parameters: [{ name: 'target', type: 'string', description: 'Which', required: true }],
        riskLevel: 'high',
        async execute(args, { sessionId }) {
          executed.push({ tool: 'delete_boss_config', args, sessionId })
          return { success: true, content: 'deleted' }
        },
      },
    ],
  }
  return { plugin, executed }
}
