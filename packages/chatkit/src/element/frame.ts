/** The page that Parley serves for iframes: one chat, and the messages of wire-protocol 14.7 with the page around it. */
import { checkOrigins } from '@parley/protocol/bridge-envelope'
import { connectFrame } from './frame-host.ts'

const HEIGHT = 'html,body{height:100%;margin:0}parley-chat{display:block;height:100%}'

const read = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="parley-${name}"]`)?.content ?? ''

await customElements.whenDefined('parley-chat')
const sheet = new CSSStyleSheet()
sheet.replaceSync(HEIGHT)
document.adoptedStyleSheets = [sheet]
const chat = document.createElement('parley-chat')
for (const name of ['theme', 'locale', 'mode', 'heading'] as const) if (read(name)) chat.setAttribute(name, read(name))
// Its scripts run in an origin of their own; in this page's policy they could not.
chat.security = { cardFrame: '/chat/card' }
// Before the chat is in the page: in a frame nothing is asked with the sign-in of whoever sits there.
if (window.parent !== window)
  connectFrame(chat, checkOrigins([location.origin, ...read('hosts').split(' ').filter(Boolean)]))
document.body.append(chat)
