import type { DemoAnswer } from './answer.ts'
import type { Text } from './language.ts'
import type { Situation } from './situation.ts'

/** Something the demo can show. `step` gives the next answer from where the conversation stands. */
export type Scenario = {
  id: string
  /** What the chat offers to send. */
  prompt: Text
  /** Other ways to ask for it. */
  pattern: RegExp
  step: (situation: Situation) => DemoAnswer
}
