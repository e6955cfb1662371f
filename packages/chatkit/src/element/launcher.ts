import type { EmbedOptions } from './embed-options.ts'
import launcherStyles from './launcher.css?inline'
import { launcherTexts } from './launcher-texts.ts'
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
const ICONS = {
  open: 'M4 5h16v11H9l-5 4zM8.500 9.500h7M8.500 12.500h4',
  close: 'M6 6l12 12M18 6 6 18',
}

/** A button at the edge of the page and the panel it opens, out of reach of the page's styles. */
export function createLauncher(options: EmbedOptions, page: Document): Launcher {
  const host = page.createElement('parley-launcher')
  host.dataset['theme'] = options.theme
  host.dataset['position'] = options.position
  const root = host.attachShadow({ mode: 'open' })
  adoptStyles(root, sheetOf(launcherStyles))

  const name = options.title ?? launcherTexts(options.locale ?? page.documentElement.lang).chat
  const panel = makePanel(page, name)
  const button = makeButton(page, name)
  const element = makeChat(options, name)
  root.append(button, panel)

  const narrow = matchMedia(NARROW)
  let before: Element | null = null

  const show = () => {
    if (narrow.matches) panel.showModal()
    else panel.show()
    button.setAttribute('aria-expanded', 'true')
    element.focus()
  }
  const open = () => {
    if (panel.open) return element.focus()
    before = focusedIn(page)
    if (!element.isConnected) panel.append(element)
    show()
  }
  const close = () => {
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
  whenThereIsABody(page, (body) => body.append(host))
  return { element, open, close, toggle }
}

function makePanel(page: Document, name: string): HTMLDialogElement {
  const panel = page.createElement('dialog')
  panel.id = 'panel'
  panel.className = 'panel'
  panel.tabIndex = -1
  panel.setAttribute('aria-label', name)
  // Escape is answered by a key handler: only that one knows whether something inside wanted it.
  panel.setAttribute('closedby', 'none')
  return panel
}

function makeButton(page: Document, name: string): HTMLButtonElement {
  const button = page.createElement('button')
  button.type = 'button'
  button.className = 'launcher'
  button.setAttribute('aria-label', name)
  button.setAttribute('aria-haspopup', 'dialog')
  button.setAttribute('aria-expanded', 'false')
  button.setAttribute('aria-controls', 'panel')
  for (const [icon, path] of Object.entries(ICONS)) button.append(makeIcon(page, icon, path))
  return button
}

function makeIcon(page: Document, name: string, path: string): SVGElement {
  const icon = page.createElementNS('http://www.w3.org/2000/svg', 'svg')
  icon.setAttribute('class', `icon icon-${name}`)
  icon.setAttribute('viewBox', '0 0 24 24')
  icon.setAttribute('aria-hidden', 'true')
  const line = page.createElementNS('http://www.w3.org/2000/svg', 'path')
  line.setAttribute('d', path)
  icon.append(line)
  return icon
}

function makeChat({ server, token, locale, theme }: EmbedOptions, heading: string): ParleyChatElement {
  const element = new ParleyChatElement()
  const attributes = { server, token, locale, theme, heading, mode: 'copilot', closable: '' }
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
