import type { McpState } from '@parley/protocol/rest'
import { CircleCheck, CircleDashed, Clock, OctagonAlert, Plug } from '../../ui/icons.tsx'
import { useWords } from '../../texts/language.ts'
import { toolWords } from './words.ts'

const MARKS = {
  ready: { icon: CircleCheck, look: 'text-success' },
  starting: { icon: Clock, look: 'text-muted' },
  on_demand: { icon: CircleDashed, look: 'text-muted' },
  failed: { icon: OctagonAlert, look: 'text-danger' },
  blocked: { icon: Plug, look: 'text-attention' },
} as const satisfies Record<McpState, object>

/** A shape and a word: colour is never alone. */
export function ServerState({ state }: { state: McpState }) {
  const words = useWords(toolWords)
  const { icon: Icon, look } = MARKS[state]
  return (
    <span className="inline-flex items-center gap-1">
      <Icon size={16} aria-hidden="true" className={`flex-none ${look}`} />
      {words.states[state]}
    </span>
  )
}
