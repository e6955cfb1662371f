import type { EmbedOptions } from './embed-options.ts'
import launcherStyles from './launcher.css?inline'
import { launcherAccent } from './accent.ts'
import { KIT_PARTS } from './kit-parts.ts'
import { CLOSE_ICON, type LauncherIcon, makeIcon } from './launcher-icon.ts'
import { launcherTexts } from './launcher-texts.ts'
import { panelMemory } from './panel-memory.ts'
import { ParleyChatElement } from './parley-chat-element.ts'
import { adoptStyles, sheetOf } from './shadow-styles.ts'

export type Launcher = {
  /** The chat in the panel. It connects when the panel is first opened. */
  readonly element: ParleyChatElement
  open: () => void
  close: () => void
  toggle: () => void
}

/** Below this the panel is a sheet over the whole page, and modal. The kit's style sheet breaks at the same width. */
const NARROW = '(max-width: 640px)'

/** A button at the edge of the page and the panel it opens, out of reach of the page's styles. */
export function createLauncher(options: EmbedOptions, page: Document): Launcher {
  const host = page.createElement('parley-launcher')
  host.dataset['theme'] = options.theme
  host.dataset['position'] = options.position
  const root = host.attachShadow({ mode: 'open' })
  adoptStyles(root, sheetOf(launcherStyles + (options.accent ? launcherAccent(options.accent) : '')))

  const name = options.title ?? launcherTexts(options.locale ?? page.documentElement.lang).chat
  const panel = makePanel(page, name)
  const button = makeButton(page, name, options.icon)
  const element = makeChat(options, name)
  root.append(button, panel)

  const narrow = matchMedia(NARROW)
  const memory = panelMemory(options.remember ? options.server : undefined)
  let before: Element | null = null

  /** A panel that was open before the page was loaded comes back without taking the focus from the page. */
  const show = ({ takesFocus = true } = {}) => {
    if (!element.isConnected) panel.append(element)
    if (narrow.matches) panel.showModal()
    else if (takesFocus) panel.show()
    else panel.setAttribute('open', '')
    button.setAttribute('aria-expanded', 'true')
    if (takesFocus) element.focus()
  }
  const open = () => {
    memory.write(true)
    // In the head there is no page to put it on yet.
    if (!host.isConnected) return
    if (panel.open) return element.focus()
    before = focusedIn(page)
    show()
  }
  const close = () => {
    memory.write(false)
    if (!panel.open) return
    const hadFocus = panel.contains(root.activeElement)
    panel.close()
    button.setAttribute('aria-expanded', 'false')
    if (hadFocus) returnFocus(before, button)
  }
  const toggle = () => (panel.open ? close() : open())

  button.addEventListener('click', toggle)
  element.addEventListener('chatkit:close', close)
  // What is open inside the chat takes Escape for itself and lets it go no further.
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.isComposing && !event.defaultPrevented) close()
  })
  panel.addEventListener('cancel', (event) => event.preventDefault())
  narrow.addEventListener('change', () => {
    if (!panel.open) return
    panel.close()
    show()
  })
  whenThereIsABody(page, (body) => {
    body.append(host)
    if (memory.read()) show({ takesFocus: false })
  })
  return { element, open, close, toggle }
}

function makePanel(page: Document, name: string): HTMLDialogElement {
  const panel = page.createElement('dialog')
  panel.id = 'panel'
  panel.className = 'panel'
  panel.setAttribute('part', 'panel')
  panel.tabIndex = -1
  panel.setAttribute('aria-label', name)
  // Escape is answered by a key handler: only that one knows whether something inside wanted it.
  panel.setAttribute('closedby', 'none')
  return panel
}

function makeButton(page: Document, name: string, icon: LauncherIcon): HTMLButtonElement {
  const button = page.createElement('button')
  button.type = 'button'
  button.className = 'launcher'
  button.setAttribute('part', 'launcher')
  button.setAttribute('aria-label', name)
  button.setAttribute('aria-haspopup', 'dialog')
  button.setAttribute('aria-expanded', 'false')
  button.setAttribute('aria-controls', 'panel')
  button.append(makeIcon(page, 'open', icon), makeIcon(page, 'close', CLOSE_ICON))
  return button
}

function makeChat(options: EmbedOptions, heading: string): ParleyChatElement {
  const { server, token, tokenUrl, agent, locale, theme, accent, greeting, questions, remember } = options
  const element = new ParleyChatElement()
  const attributes = {
    ...{ server, token, 'token-url': tokenUrl, agent, locale, theme, heading, accent, greeting, questions },
    ...{ remember: remember ? 'launcher' : 'off', mode: 'copilot', closable: '', exportparts: KIT_PARTS.join() },
  }
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(name, value)
  return element
}

/** The element that has the focus, also inside shadow roots. */
function focusedIn(root: DocumentOrShadowRoot): Element | null {
  const { activeElement } = root
  return activeElement?.shadowRoot ? (focusedIn(activeElement.shadowRoot) ?? activeElement) : activeElement
}

function returnFocus(before: Element | null, button: HTMLElement): void {
  const isPlace = before instanceof HTMLElement && before.isConnected && before !== before.ownerDocument.body
  ;(isPlace ? before : button).focus()
}

/** A script in the head runs before there is one. */
function whenThereIsABody(page: Document, use: (body: HTMLElement) => void): void {
  if (page.body) use(page.body)
  else page.addEventListener('DOMContentLoaded', () => use(page.body), { once: true })
}
