import { SendButton, type ComposerPartProps } from '@parley/chatkit'
import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { agentsQuery, modelsQuery } from '../../data/account.ts'
import { useWords } from '../../texts/language.ts'
import type { Choice } from './chats.ts'
import { chatWords } from './words.ts'

type ChoiceHandle = { chosen: Choice; choose: (change: Partial<Choice>) => void; isNew: boolean }

export const ChoiceContext = createContext<ChoiceHandle>({
  chosen: { model: '', agent: '' },
  choose: () => {},
  isNew: true,
})

/** Who answers, and the button that sends. */
export function ComposerTools({ composer }: ComposerPartProps) {
  const { chosen, choose, isNew } = useContext(ChoiceContext)
  const words = useWords(chatWords)
  const { data: models } = useQuery(modelsQuery)
  const { data: agents = [] } = useQuery({ ...agentsQuery, enabled: isNew })
  return (
    <>
      <span className="composer-choices">
        {isNew && agents.length > 1 ? (
          <Picker
            label={words.agent}
            value={chosen.agent || 'default'}
            options={agents.map(({ name, display_name }) => ({
              value: name,
              text: name === 'default' ? words.defaultAgent : display_name,
            }))}
            onChange={(agent) => choose({ agent: agent === 'default' ? '' : agent })}
          />
        ) : null}
        {models && models.models.length > 0 ? (
          <Picker
            label={words.model}
            value={chosen.model || models.default}
            options={models.models.map(({ id, name }) => ({ value: id, text: name }))}
            onChange={(model) => choose({ model: model === models.default ? '' : model })}
          />
        ) : null}
      </span>
      <SendButton composer={composer} />
    </>
  )
}

type PickerProps = {
  label: string
  value: string
  options: readonly { value: string; text: string }[]
  onChange: (value: string) => void
}

function Picker({ label, value, options, onChange }: PickerProps) {
  return (
    <select
      aria-label={label}
      title={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className="max-w-50 rounded-control border border-transparent bg-transparent px-1 py-1 text-13 text-muted hover:bg-hover"
    >
      {options.map(({ value: id, text }) => (
        <option key={id} value={id}>
          {text}
        </option>
      ))}
    </select>
  )
}
