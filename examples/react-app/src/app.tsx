import { ChatKitParley } from '@parley/chatkit'
import { useRef, useState } from 'react'
import { cities } from './cities.ts'
import { CityMap } from './city-map.tsx'
import { getToken } from './get-token.ts'

/** What the page says about the selection. */
function hintOf(selected: string | null): string {
  const city = cities.find(({ id }) => id === selected)
  return city
    ? `${city.name}: ${city.people} million people`
    : 'Select a city, and it goes along with the next question.'
}

/** A page with a map, and a chat that knows what is selected there and can point at things. */
export function App({ token }: { token: string }) {
  const chat = useRef<ChatKitParley>(null)
  const [highlighted, setHighlighted] = useState<ReadonlySet<string>>(new Set())
  const [selected, setSelected] = useState<string | null>(null)

  const select = (id: string) => {
    setSelected(id)
    const city = cities.find((one) => one.id === id)
    // What the user looks at goes along with the next question.
    if (city) chat.current?.injectApplicationContext({ title: city.name, data: city })
  }

  /** What the agent may do to this page. Everything else it asks for is ignored. */
  const onBridge = (action: string, payload: unknown) => {
    if (action !== 'map.highlight') return
    const { cityIds } = payload as { cityIds?: unknown }
    if (Array.isArray(cityIds)) setHighlighted(new Set(cityIds.filter((id) => typeof id === 'string')))
  }

  return (
    <div className="app">
      <main>
        <h1>Cities of Zhejiang</h1>
        <p className="hint">{hintOf(selected)}</p>
        <CityMap highlighted={highlighted} selected={selected} onSelect={select} />
      </main>
      <ChatKitParley
        ref={chat}
        baseUrl=""
        token={token}
        refreshToken={getToken}
        title="Copilot"
        onboarding={{
          prologue: 'Select a city, or ask me to show one. 选一个城市，或让我指给你看。',
          predefinedQuestions: ['Highlight Hangzhou and Ningbo on the map', '在地图上高亮温州'],
        }}
        onBridge={onBridge}
      />
    </div>
  )
}
