import type { ParleyClient } from '@parley/client'
import type { ModelsConfig } from '@parley/protocol/rest'
import { useEffect, useState } from 'react'
import { useView } from './view-context.ts'

/** Which model answers from the next message on. Nothing where there is no choice. */
export function ModelSelector({ onModel }: { onModel: (model: string | undefined) => void }) {
  const { client, texts } = useView()
  const config = useModels(client)
  const [chosen, setChosen] = useState('')
  if (!config || config.models.length < 2) return null
  return (
    <select
      className="ak-model"
      aria-label={texts.model}
      value={chosen}
      onChange={({ target }) => {
        setChosen(target.value)
        onModel(target.value || undefined)
      }}
    >
      <option value="">{texts.defaultModel}</option>
      {config.models.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}

function useModels(client: ParleyClient): ModelsConfig | null {
  const [config, setConfig] = useState<ModelsConfig | null>(null)
  useEffect(() => {
    let isCurrent = true
    client.models.getModelsConfig().then(
      (found) => {
        if (isCurrent) setConfig(found)
      },
      () => {}, // Without the list there is nothing to choose; messages use the session's model.
    )
    return () => {
      isCurrent = false
    }
  }, [client])
  return config
}
