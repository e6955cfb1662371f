import type { ApplicationContext } from '../model/application-context.ts'
import { chatKitError } from '../model/chat-kit-error.ts'
import type { ChatMessage } from '../model/chat-message.ts'
import type { MountedChatKit } from '../react/mount-chat-kit.tsx'
import type { Security } from '../react/kit-context.ts'
import type { SendOptions } from '../store/sending.ts'
import { ATTRIBUTES, type ChatSettings, isOtherChat, readSettings, TEXT_PROPERTIES } from './chat-settings.ts'
import { adoptKitStyles } from './shadow-styles.ts'
import { type Kept, showChat, type ShownChat } from './shown-chat.ts'

export type GetToken = () => string | Promise<string>

/** On a server there are no elements; importing this must not fail there. */
const Base = globalThis.HTMLElement ?? (Object as unknown as typeof HTMLElement)

/**
 * `<parley-chat server token session mode theme locale heading closable bridge-actions>`: the kit, connected to a Parley
 * server, in a shadow root. Text attributes are also properties.
 *
 * The `token` attribute is readable by everything on the page: use it for short-lived tokens only, else `getToken`.
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

  readonly #frame: HTMLElement
  #settings: ChatSettings | null = null
  #chat: ShownChat | null = null
  #getToken: GetToken | undefined
  #bridgeActions: readonly string[] | undefined
  #security: Security | undefined
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

  /** The actions that may reach the page as `chatkit:bridge`. Default: those of the attribute, else none. */
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
    this.#chat = showChat(this.#frame, { settings: this.#settings, token, kept, host: this.#host() })
    const { kit } = this.#chat
    if (this.#wantsFocus) this.focus()
    for (const resolve of this.#waiting.splice(0)) resolve(kit)
  }

  #leave(): void {
    this.#openings += 1
    this.#chat?.leave()
    this.#chat = null
  }

  async #askForToken(): Promise<string> {
    if (!this.#getToken) return ''
    try {
      return await this.#getToken()
    } catch (cause) {
      // The chat is shown all the same: the next request asks again.
      this.#emit('error', chatKitError('auth', 'getToken() failed.', { cause }))
      return ''
    }
  }

  #host() {
    return {
      refreshToken: () => this.#getToken && (async () => (await this.#getToken?.()) ?? ''),
      mayBridge: (action: string) => this.bridgeActions.includes(action),
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

/** Makes `<parley-chat>` known. Once is enough; a second copy on the page leaves the first in place. */
export function defineParleyChat(): void {
  if (!customElements.get('parley-chat')) customElements.define('parley-chat', ParleyChatElement)
}
