// An agent with two tools of this program; the second one asks a person first. No server, no port.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createAgent, ScriptedModel } from '@parley/agent'

const { SHOP_DATA = './shop-data' } = process.env
const [, , answer] = process.argv
const KEPT = `${SHOP_DATA}.pending.json` // Yours is a database.

/** @param {string} name @param {Record<string, unknown>} args */
const call = (name, args) => ({ toolCalls: [{ name, arguments: args }] })
const script = answer
  ? [{ content: 'Order 7 is refunded.' }]
  : [call('find_order', { id: 7 }), call('refund', { id: 7, euros: 40 })]

const agent = createAgent({
  llm: new ScriptedModel(script), // { provider: 'openai-compatible', url: '…/v1', model: '…', apiKey: '…' }
  dataDir: SHOP_DATA,
  language: 'en',
  plugins: [
    {
      name: 'shop',
      version: '1.0.0',
      description: 'Orders of a shop',
      tools: [
        {
          name: 'find_order',
          description: 'Finds an order by its number.',
          parameters: [{ name: 'id', type: 'number', description: 'Number of the order', required: true }],
          readOnly: true,
          execute: async ({ id }) => ({ success: true, content: `Order ${id}: 40 EUR`, data: { id, euros: 40 } }),
        },
        {
          name: 'refund',
          description: 'Pays an order back. Cannot be undone.',
          riskLevel: 'high',
          parameters: [
            { name: 'id', type: 'number', description: 'Number of the order', required: true },
            { name: 'euros', type: 'number', description: 'How much', required: true },
          ],
          execute: async ({ id, euros }) => ({ success: true, content: `Refunded ${euros} EUR of order ${id}.` }),
        },
      ],
    },
  ],
})

const pendingConfirmation = existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, 'utf8')) : undefined
const response = await agent.chat(answer ?? 'Refund order 7, please.', {
  sessionId: 'order-7',
  ...(answer && pendingConfirmation && { pendingConfirmation }),
  onEvent: ({ type, data }) => console.log(type, 'toolName' in data ? data.toolName : ''),
})
if (response.type === 'confirm') writeFileSync(KEPT, JSON.stringify(response.pendingConfirmation))
console.log(response.message)
await agent.close()
