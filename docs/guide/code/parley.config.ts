import { orderStatus } from './order-status.ts'

export default {
  tools: [orderStatus],
  mcpServers: {
    files: {
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-filesystem', '/srv/data'],
    },
  },
  policy: {
    rules: [
      { tool: 'Bash', arguments: { command: '*rm -rf*' }, decision: 'deny' },
      { tool: 'mcp__files__write_file', decision: 'ask' },
    ],
  },
  models: [
    {
      id: 'local',
      provider: 'openai-compatible',
      url: 'http://localhost:11434/v1',
      model: 'qwen3',
      price: { input: 0.2, output: 0.8 }, // of a million tokens, for GET /api/usage
    },
  ],
}
