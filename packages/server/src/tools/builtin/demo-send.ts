import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { TOOL_NAMES } from '../../words/tool-names.ts'

/** Beside the demo model only: something that asks first, so that people can see what that looks like. */
export const demoSend = defineTool({
  name: 'DemoSend',
  display_name: TOOL_NAMES.DemoSend,
  description: 'Pretends to send a message. It sends nothing; it exists to show what a confirmation looks like.',
  provider: 'builtin',
  writesFiles: false,
  risk: 'high',
  input: z.object({ to: z.string().min(1).max(200), text: z.string().min(1).max(2_000) }),
  run: async ({ to, text }) => `Nothing was sent; this is a demo. It would have told ${to}: ${text}`,
})
