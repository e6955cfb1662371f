import type { LoopTexts } from '../../core/loop-env.ts'
import type { Language } from '../../words/language.ts'
import { say } from '../../words/phrases.ts'

/** What the loop itself says in a conversation. */
export function loopTexts(language: Language): LoopTexts {
  return {
    maxTurns: (count) => say('notice.maxTurns', language, { count }),
    cut: say('notice.cut', language),
    askDisplayName: say('tool.ask', language),
    agentDisplayName: say('tool.agent', language),
    submitDisplayName: say('tool.submit', language),
  }
}
