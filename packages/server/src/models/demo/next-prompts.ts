import type { ModelMessage } from '../../ports.ts'
import { languageOfText } from './language.ts'
import { SCENARIOS } from './scenarios.ts'

const DEFAULT = ['tool', 'question', 'chart']

/** What goes well after each scenario; after everything else, the first things to try. */
const AFTER: Readonly<Record<string, readonly string[]>> = {
  own_tool: ['tool', 'question', 'analysis'],
  analysis: ['chart', 'command', 'card'],
  survive: ['tool', 'question', 'confirmation'],
  compaction: ['tool', 'question', 'survive'],
  thinking: ['long', 'chart', 'question'],
  long: ['slow', 'chart', 'thinking'],
  tool: ['rounds', 'own_tool', 'command'],
  rounds: ['tool', 'command', 'tasks'],
  parallel: ['rounds', 'subagent', 'failing_tool'],
  subagent_question: ['subagent', 'question', 'confirmation'],
  subagent: ['subagent_question', 'parallel', 'tasks'],
  question: ['confirmation', 'subagent_question', 'plan'],
  failing_tool: ['rounds', 'command', 'tool'],
  slow: ['long', 'thinking', 'chart'],
  command: ['background', 'tool', 'confirmation'],
  background: ['command', 'tasks', 'subagent'],
  confirmation: ['question', 'command', 'plan'],
  chart: ['analysis', 'card', 'map'],
  card: ['chart', 'map', 'thinking'],
  map: ['chart', 'card', 'tool'],
  tasks: ['plan', 'rounds', 'background'],
  plan: ['tasks', 'tool', 'confirmation'],
}

/** Asked what the user might send next: further things that the demo can show, one a line. */
export function nextPrompts(messages: readonly ModelMessage[]): string {
  // The last message of a user asks for this.
  const question = messages.filter(({ role }) => role === 'user').at(-2)
  const text =
    question?.role === 'user'
      ? question.content.map((part) => (part.type === 'text' && !part.recalled ? part.text : '')).join('\n')
      : ''
  const shown = SCENARIOS.find(({ pattern }) => pattern.test(text))?.id ?? ''
  const ids = AFTER[shown] ?? DEFAULT
  return ids.map((id) => SCENARIOS.find((scenario) => scenario.id === id)!.prompt[languageOfText(text)]).join('\n')
}
