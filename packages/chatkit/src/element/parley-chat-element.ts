import { noTokenAdvice } from '../adapters/parley/failure-words.ts'
import type { ApplicationContext } from '../model/application-context.ts'
import { chatKitError } from '../model/chat-kit-error.ts'
import { tellDeveloper } from '../model/dev-warning.ts'
import type { ChatMessage } from '../model/chat-message.ts'
import type { MountedChatKit } from '../react/kit/mount-chat-kit.tsx'
import type { Security } from '../react/kit/kit-context.ts'
import type { SendOptions } from '../store/sending.ts'
import { ATTRIBUTES, type ChatSettings, isOtherChat, readSettings, TEXT_PROPERTIES } from './chat-settings.ts'
import { kitAccent } from './accent.ts'
import { adoptKitStyles, sheetOf } from './shadow-styles.ts'
import { type Kept, showChat, type ShownChat } from './shown-chat.ts'
import { fetchToken, usableMs } from './token-url.ts'

const TOKEN_PATIENCE_MS = 15_000

export type GetToken = () => string | Promise<string>

/** On a server there are no elements; importing this must not fail there. */
const Base = globalThis.HTMLElement ?? (Object as unknown as typeof HTMLElement)

/**
 * `<parley-chat server token token-url session mode theme locale heading accent greeting questions remember closable
 * bridge-actions>`: the kit, connected to a Parley server, in a shadow root. Text attributes are also properties.
 *
 * The `token` attribute is readable by everything on the page: use it for short-lived tokens only, else `token-url` (an
 * address of the page's own server) or `getToken`.
 * Events, all bubbling out of shadow roots: `chatkit:bridge`, `chatkit:error`, `chatkit:message`,
 * `chatkit:conversation`, `chatkit:close`.
 *
 *     disconnected ── connected ──▶ asking for a token ──▶ shown ── other server or language ──▶ asking …
 *           ◀──────────────── taken out of the page ─────────────────┘
 */
export class ParleyChatElement extends Base {
  static readonly observedAttributes: readonly string[] = ATTRIBUTES

  declare server: string
  declare token: string
  declare session: string
  declare mode: string
  declare theme: string
  declare locale: string
  declare heading: string
  declare accent: string
  declare greeting: string
  declare questions: string
  declare remember: string

  readonly #frame: HTMLElement
  #settings: ChatSettings | null = null
  #chat: ShownChat | null = null
  #getToken: GetToken | undefined
  #bridgeActions: readonly string[] | undefined
  #security: Security | undefined
  #renewal: ReturnType<typeof setTimeout> | undefined
  #accent: CSSStyleSheet | null = null
  #isDue = false
  #openings = 0
  #wantsFocus = false
  #waiting: ((kit: MountedChatKit) => void)[] = []

  constructor() {
    super()
    const root = this.attachShadow({ mode: 'open' })
    adoptKitStyles(root)
    this.#frame = document.createElement('div')
    this.#frame.className = 'frame'
    root.append(this.#frame)
  }

  /** Asked for a token before the first request, and again when the server refuses the last one. */
  get getToken(): GetToken | undefined {
    return this.#getToken
  }

  set getToken(getToken: GetToken | undefined) {
    this.#getToken = getToken ?? undefined
    // The page's script came after ours: the chat stands without a token and must not use the login cookie instead.
    if (this.#chat?.hasToken() === false) this.#reopen(this.#chat.leave())
    else this.#chat?.hostChanged()
  }

  /** The actions that may reach the page as `chatkit:bridge`; `*` is all. Default: those of the attribute, else none. */
  get bridgeActions(): readonly string[] {
    return this.#bridgeActions ?? this.#read().bridgeActions
  }

  set bridgeActions(actions: readonly string[] | undefined) {
    this.#bridgeActions = actions ?? undefined
  }

  /** What may be loaded beyond the safe default. */
  get security(): Security | undefined {
    return this.#security
  }

  set security(security: Security | undefined) {
    this.#security = security ?? undefined
    this.#chat?.hostChanged()
  }

  /** Resolves with the answer at the end of the run. */
  async send(text: string, options?: SendOptions): Promise<ChatMessage | undefined> {
    return (await this.#shown()).send(text, options)
  }

  async stop(): Promise<void> {
    await (await this.#shown()).stop()
  }

  async createConversation(): Promise<void> {
    await (await this.#shown()).createConversation()
  }

  /** Puts text into the text box, behind what is written there. */
  async appendInput(text: string): Promise<void> {
    const { store } = await this.#shown()
    const { textInput } = store.getSnapshot()
    store.setTextInput([textInput.trimEnd(), text].filter(Boolean).join(' '))
  }

  /** Sends what is written in the text box, with its files. */
  async sendInput(): Promise<ChatMessage | undefined> {
    const { store } = await this.#shown()
    return store.send(store.getSnapshot().textInput, { fromInput: true })
  }

  /** Plans first, or acts, from the next message on. */
  async setMode(mode: 'planning' | 'executing'): Promise<void> {
    ;(await this.#shown()).store.setMode(mode)
  }

  async injectApplicationContext(context: ApplicationContext): Promise<void> {
    ;(await this.#shown()).injectApplicationContext(context)
  }

  async removeApplicationContext(): Promise<void> {
    ;(await this.#shown()).removeApplicationContext()
  }

  /** The text box; as soon as it is there. */
  override focus(options?: FocusOptions): void {
    const box = this.#frame.querySelector<HTMLElement>('.ck-composer-text')
    this.#wantsFocus = box === null
    box?.focus(options)
  }

  connectedCallback(): void {
    for (const name of [...TEXT_PROPERTIES, 'getToken', 'bridgeActions', 'security'] as const) this.#takeOver(name)
    this.#schedule()
  }

  disconnectedCallback(): void {
    this.#schedule()
  }

  attributeChangedCallback(): void {
    this.#schedule()
  }

  /** Several changes are one, and an element that is only moved in the page keeps its chat. */
  #schedule(): void {
    if (this.#isDue) return
    this.#isDue = true
    queueMicrotask(() => {
      this.#isDue = false
      this.#update()
    })
  }

  #update(): void {
    const before = this.#settings
    const after = this.isConnected ? this.#read() : null
    this.#settings = after
    if (!after) return this.#leave()
    if (!before) return void this.#open(undefined)
    this.#paint(after)
    if (!isOtherChat(before, after)) return this.#chat?.apply(before, after)
    const kept = this.#chat?.leave()
    this.#reopen(before.server === after.server ? kept : undefined)
  }

  #reopen(kept: Kept | undefined): void {
    this.#wantsFocus ||= this.shadowRoot?.activeElement !== null
    this.#chat = null
    void this.#open(kept)
  }

  async #open(kept: Kept | undefined): Promise<void> {
    const own = (this.#openings += 1)
    // Before the first request: without a token the browser would send the login cookie of whoever sits there.
    const token = this.#settings?.token || (await this.#askForToken())
    if (own !== this.#openings || !this.#settings) return
    this.#paint(this.#settings)
    this.#chat = showChat(this.#frame, { settings: this.#settings, token, kept, host: this.#host() })
    const { kit } = this.#chat
    if (this.#wantsFocus) this.focus()
    for (const resolve of this.#waiting.splice(0)) resolve(kit)
  }

  #leave(): void {
    clearTimeout(this.#renewal)
    this.#openings += 1
    this.#chat?.leave()
    this.#chat = null
  }

  async #askForToken(): Promise<string> {
    // Scripts below the element may still say how.
    if (!this.#source()) await pageIsRead()
    const source = this.#source()
    if (!source) {
      this.#tellIfForeign()
      return ''
    }
    try {
      return await source()
    } catch (cause) {
      // The chat is shown all the same: the next request asks again.
      this.#emit('error', chatKitError('auth', 'There is no token.', { cause }))
      return ''
    }
  }

  /** Where tokens come from, if the page said so. A failure is told to the developer; the chat tells the visitor. */
  #source(): (() => Promise<string>) | undefined {
    const address = this.#settings?.tokenUrl
    if (!this.#getToken && !address) return undefined
    return async () => {
      try {
        return this.#getToken ? await this.#getToken() : await this.#fetchToken(address ?? '')
      } catch (cause) {
        tellDeveloper(`The chat got no token: ${cause instanceof Error ? cause.message : String(cause)}`)
        throw cause
      }
    }
  }

  async #fetchToken(address: string): Promise<string> {
    const fresh = await fetchToken(address, AbortSignal.timeout(TOKEN_PATIENCE_MS))
    clearTimeout(this.#renewal)
    const waitMs = usableMs(fresh, Date.now())
    // Whoever needs it next finds a new one: no answer is interrupted for it.
    if (waitMs !== undefined) this.#renewal = setTimeout(() => this.#chat?.renewToken(), waitMs)
    return fresh.token
  }

  /** On the server's own pages the sign-in counts; everywhere else there is nothing to come in with. */
  #tellIfForeign(): void {
    const { server = '' } = this.#settings ?? {}
    if (!URL.canParse(server, location.href) || new URL(server, location.href).origin === location.origin) return
    tellDeveloper(noTokenAdvice(new URL(server).origin))
  }

  #paint({ accent }: ChatSettings): void {
    const root = this.shadowRoot
    if (!root) return
    const others = root.adoptedStyleSheets.filter((sheet) => sheet !== this.#accent)
    this.#accent = accent ? sheetOf(kitAccent(accent)) : null
    root.adoptedStyleSheets = this.#accent ? [...others, this.#accent] : others
  }

  #host() {
    return {
      refreshToken: () => this.#source(),
      mayBridge: (action: string) => this.bridgeActions.includes(action) || this.bridgeActions.includes('*'),
      security: () => this.#security,
      emit: (name: string, detail?: unknown) => this.#emit(name, detail),
    }
  }

  #emit(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(`chatkit:${name}`, { detail, bubbles: true, composed: true }))
  }

  #shown(): Promise<MountedChatKit> {
    if (this.#chat) return Promise.resolve(this.#chat.kit)
    if (!this.isConnected)
      return Promise.reject(chatKitError('unsupported', 'The chat is not in the page. Add the element first.'))
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #read(): ChatSettings {
    const language = this.closest<HTMLElement>('[lang]')?.lang || document.documentElement.lang
    return readSettings(this, language)
  }

  /** A property that a framework set before this class was known hides the accessor: set it again, properly. */
  #takeOver(name: keyof this): void {
    if (!Object.hasOwn(this, name)) return
    const value = this[name]
    delete this[name]
    this[name] = value
  }
}

for (const name of TEXT_PROPERTIES)
  Object.defineProperty(ParleyChatElement.prototype, name, {
    configurable: true,
    enumerable: true,
    get(this: HTMLElement): string {
      return this.getAttribute(name) ?? ''
    },
    set(this: HTMLElement, value: string | null | undefined) {
      if (value === null || value === undefined) this.removeAttribute(name)
      else this.setAttribute(name, value)
    },
  })

/** Until the scripts of the page that come after us have had their turn. */
async function pageIsRead(): Promise<void> {
  if (document.readyState === 'complete') return
  await new Promise<unknown>((resolve) => {
    document.addEventListener('DOMContentLoaded', resolve, { once: true })
    window.addEventListener('load', resolve, { once: true })
  })
}

/** Makes `<parley-chat>` known. Once is enough; a second copy on the page leaves the first in place. */
export function defineParleyChat(): void {
  if (!customElements.get('parley-chat')) customElements.define('parley-chat', ParleyChatElement)
}
