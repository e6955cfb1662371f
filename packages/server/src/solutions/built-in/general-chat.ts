import type { BuiltInSolution } from '../../agents/built-in-solutions.ts'

export const generalChat: BuiltInSolution = {
  id: 'general_chat',
  files: {
    'solution.yaml': `name: 通用对话 · General chat
version: "1.0"
description: 与默认智能体对话，没有专门的角色。 A conversation with the server's own agent, without a special role.
`,
  },
}
