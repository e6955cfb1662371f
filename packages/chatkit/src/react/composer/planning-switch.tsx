import { IconButton } from '../controls/icon-button.tsx'
import { useKit } from '../kit/kit-context.ts'
import { useChatState } from '../kit/use-chat-kit.ts'

/** Where the assistant can plan first: whether it is to. */
export function PlanningSwitch() {
  const { store, options } = useKit()
  const isPlanning = useChatState(({ mode }) => mode === 'planning')
  if (!store.adapter.hasPlanning) return null
  return (
    <IconButton
      icon="plan"
      label={options.texts.planFirst}
      aria-pressed={isPlanning}
      onClick={() => store.setMode(isPlanning ? 'executing' : 'planning')}
    />
  )
}
