import type { Agent } from '@parley/protocol/rest'
import type { ParleyChatElement } from '../element/parley-chat-element.ts'
import type { LandingTexts } from './landing-texts.ts'

/** What the server itself is called among its agents. */
const DEFAULT = 'default'

/** Who answers in new conversations, where there is a choice. Kept in the address: a reload, and a link, come back to it. */
export async function addAgentChoice(place: HTMLElement, chat: ParleyChatElement, texts: LandingTexts): Promise<void> {
  const agents = await agentsHere()
  if (agents.length < 2) return
  const select = document.createElement('select')
  for (const { name, display_name } of agents)
    select.add(new Option(display_name === DEFAULT ? texts.defaultAgent : display_name, name))
  const wanted = new URLSearchParams(location.hash.slice(1)).get('agent')
  select.value = agents.some(({ name }) => name === wanted) ? wanted! : DEFAULT
  const choose = () => {
    const name = select.value === DEFAULT ? '' : select.value
    chat.agent = name
    // Each has its own conversation in this tab.
    chat.remember = name ? `landing-${name}` : 'landing'
  }
  select.addEventListener('change', () => {
    choose()
    history.replaceState(
      null,
      '',
      select.value === DEFAULT ? location.pathname : `#${new URLSearchParams({ agent: select.value })}`,
    )
  })
  choose()
  const label = document.createElement('label')
  label.className = 'agents'
  label.append(texts.agent, select)
  place.prepend(label)
}

/** Those that can answer: a folder that never became a version cannot. */
async function agentsHere(): Promise<Agent[]> {
  const answer = await fetch('/api/agents').catch(() => undefined)
  if (!answer?.ok) return []
  const { items } = (await answer.json()) as { items: Agent[] }
  return items.filter(({ name, version }) => name === DEFAULT || version !== null)
}
