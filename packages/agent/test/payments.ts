import type { AgentPlugin, ToolResult } from '@parley/agent'

/** One tool, `pay`, that cannot be undone. */
export function payments(execute: (args: { euros: number }) => Promise<ToolResult>): AgentPlugin {
  return {
    ...{ name: 'payments', version: '1.0.0', description: 'Money' },
    tools: [
      {
        name: 'pay',
        description: 'Pays',
        parameters: [{ name: 'euros', type: 'number', description: 'How much', required: true }],
        execute,
      },
    ],
  }
}
