/** The embed script: `<script src="…/embed.js" data-title="Help">` puts a launcher on the page. Built into one file. */
import { readEmbedOptions } from './embed-options.ts'
import { createLauncher, type Launcher } from './launcher.ts'
import { defineParleyChat, type ParleyChatElement } from './parley-chat-element.ts'
import type { GetToken } from './token-source.ts'

export type ParleyChat = Launcher & {
  /** How the chat gets its token; set it before the panel is first opened. */
  setGetToken: (getToken: GetToken | undefined) => void
}

declare global {
  interface Window {
    ParleyChat?: ParleyChat
  }
  interface HTMLElementTagNameMap {
    'parley-chat': ParleyChatElement
  }
}

defineParleyChat()

// As a module there is no tag to read: then the element is all that was asked for.
const script = document.currentScript
const options = script instanceof HTMLScriptElement ? readEmbedOptions(script) : undefined
if (options?.hasLauncher && !window.ParleyChat) {
  const launcher = createLauncher(options, document)
  window.ParleyChat = {
    ...launcher,
    setGetToken: (getToken) => {
      launcher.element.getToken = getToken
    },
  }
}
