/** The page at a server's own address: the chat, and for its owner a button that kills the server in the middle of an answer. */
import type { ModelsConfig } from '@parley/protocol/rest'
import { addAgentChoice } from './agent-choice.ts'
import { showCrashPanel } from './crash-panel.ts'
import { crashPossibility } from './crash-server.ts'
import { landingTexts } from './landing-texts.ts'

const texts = landingTexts(document.documentElement.lang)
const find = (id: string) => document.getElementById(id) ?? document.body

const asked = await crashPossibility()
// Whoever is not signed in sees what the page says without this script.
if (asked !== 'signed out') {
  find('sign-in').hidden = true
  const chat = await addChat(find('chat'), await hasDemoModel())
  // A server that is never killed for show has no card about it.
  if (typeof asked === 'object' && asked.code !== 'not_found')
    showCrashPanel(find('crash'), { chat, first: asked, texts })
}

async function addChat(place: HTMLElement, isDemo: boolean) {
  await customElements.whenDefined('parley-chat')
  const chat = document.createElement('parley-chat')
  chat.setAttribute('heading', 'Parley')
  chat.setAttribute('remember', 'landing')
  const { prompt, question, demoQuestion, demoGreeting } = texts
  chat.setAttribute('questions', isDemo ? [prompt, question, demoQuestion].join('|') : question)
  if (isDemo) chat.setAttribute('greeting', demoGreeting)
  // Their scripts run in an origin of their own; in this page's policy they could not.
  chat.security = { cardFrame: '/chat/card' }
  await addAgentChoice(place, chat, texts)
  place.hidden = false
  place.append(chat)
  return chat
}

/** Who answers here only plays a script. */
async function hasDemoModel(): Promise<boolean> {
  const answer = await fetch('/api/config/models').catch(() => undefined)
  return answer?.ok === true && ((await answer.json()) as ModelsConfig).default === 'demo'
}
