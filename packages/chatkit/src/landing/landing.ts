/** The page at a server's own address: the chat, and for its owner a button that kills the server in the middle of an answer. */
import { showCrashPanel } from './crash-panel.ts'
import { crashPossibility } from './crash-server.ts'
import { landingTexts } from './landing-texts.ts'

const texts = landingTexts(document.documentElement.lang)
const find = (id: string) => document.getElementById(id) ?? document.body

const asked = await crashPossibility()
// Whoever is not signed in sees what the page says without this script.
if (asked !== 'signed out') {
  find('sign-in').hidden = true
  const chat = await addChat(find('chat'))
  if (asked !== 'not for you') showCrashPanel(find('crash'), { chat, first: asked, texts })
}

async function addChat(place: HTMLElement) {
  await customElements.whenDefined('parley-chat')
  const chat = document.createElement('parley-chat')
  chat.setAttribute('heading', 'Parley')
  chat.setAttribute('remember', 'landing')
  chat.setAttribute('questions', [texts.prompt, ...texts.questions].join('|'))
  // Their scripts run in an origin of their own; in this page's policy they could not.
  chat.security = { cardFrame: '/chat/card' }
  place.hidden = false
  place.append(chat)
  return chat
}
