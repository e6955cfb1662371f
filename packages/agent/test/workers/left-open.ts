// Asks something, and closes nothing.
import { createAgent, ScriptedModel } from '@parley/agent'

const agent = createAgent({ llm: new ScriptedModel([{ content: 'hello' }]) })
console.log((await agent.chat('hi')).message)
