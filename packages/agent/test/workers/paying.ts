// Begins a payment in the directory it is given, says so, and never ends it.
import { createAgent, ScriptedModel } from '@parley/agent'
import { payments } from '../payments.ts'

const [, , dataDir] = process.argv
const llm = new ScriptedModel([{ content: 'Paying.', toolCalls: [{ name: 'pay', arguments: { euros: 40 } }] }])
const pay = payments(async () => {
  console.log('paying')
  return new Promise(() => {})
})
const agent = createAgent({ llm, dataDir: dataDir!, plugins: [pay] })
setInterval(() => {}, 1_000)
await agent.chat('Pay 40.', { sessionId: 'shop', messageId: 'pay-1' })
