import type { ApplicationContext } from '../model/application-context.ts'
import type { ChatMessage } from '../model/chat-message.ts'
import type { Security } from '../react/kit/kit-context.ts'
import type { SendOptions } from '../store/sending.ts'
import { reflectAttributes, takeOver } from './attribute-properties.ts'
import { ChatLife } from './chat-life.ts'
import { ATTRIBUTES, type ChatSettings, readSettings, TEXT_PROPERTIES } from './chat-settings.ts'
import { adoptKitStyles, createPaint } from './shadow-styles.ts'
import type { GetToken } from './token-source.ts'

/** On a server there are no elements; importing this must not fail there. */
const Base = globalThis.HTMLElement ?? (Object as unknown as typeof HTMLElement)

/**
 * `<parley-chat server token token-url session agent mode theme locale heading accent greeting questions remember closable
 * bridge-actions>`: the kit, connected to a Parley server, in a shadow root. Text attributes are also properties.
 *
 * The `token` attribute is readable by everything on the page: use it for short-lived tokens only, else `token-url` (an
 * address of the page's own server) or `getToken`.
 * Events, all bubbling out of shadow roots: `chatkit:bridge`, `chatkit:error`, `chatkit:message`,
 * `chatkit:conversation`, `chatkit:close`.
 */
export class ParleyChatElement extends Base {
  static readonly observedAttributes: readonly string[] = ATTRIBUTES

  declare server: string
  declare token: string
  declare session: string
  declare agent: string
  declare mode: string
  declare theme: string
  declare locale: string
  declare heading: string
  declare accent: string
  declare greeting: string
  declare questions: string
  declare remember: string

  readonly #life: ChatLife
  #bridgeActions: readonly string[] | undefined
  #security: Security | undefined

  constructor() {
    super()
    const root = this.attachShadow({ mode: 'open' })
    adoptKitStyles(root)
    const frame = document.createElement('div')
    frame.className = 'frame'
    root.append(frame)
    this.#life = new ChatLife(frame, {
      isInPage: () => this.isConnected,
      read: () => this.#read(),
      paint: createPaint(root),
      mayBridge: (action) => this.bridgeActions.includes(action) || this.bridgeActions.includes('*'),
      security: () => this.#security,
      emit: (name, detail) =>
        this.dispatchEvent(new CustomEvent(`chatkit:${name}`, { detail, bubbles: true, composed: true })),
    })
  }

  /** Asked for a token before the first request, and again when the server refuses the last one. */
  get getToken(): GetToken | undefined {
    return this.#life.getToken
  }

  set getToken(getToken: GetToken | undefined) {
    this.#life.getToken = getToken ?? undefined
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
    this.#life.hostChanged()
  }

  /** Resolves with the answer at the end of the run. */
  async send(text: string, options?: SendOptions): Promise<ChatMessage | undefined> {
    return (await this.#life.shown()).send(text, options)
  }

  async stop(): Promise<void> {
    await (await this.#life.shown()).stop()
  }

  async createConversation(): Promise<void> {
    await (await this.#life.shown()).createConversation()
  }

  /** Puts text into the text box, behind what is written there. */
  async appendInput(text: string): Promise<void> {
    const { store } = await this.#life.shown()
    const { textInput } = store.getSnapshot()
    store.setTextInput([textInput.trimEnd(), text].filter(Boolean).join(' '))
  }

  /** Sends what is written in the text box, with its files. */
  async sendInput(): Promise<ChatMessage | undefined> {
    const { store } = await this.#life.shown()
    return store.send(store.getSnapshot().textInput, { fromInput: true })
  }

  /** Plans first, or acts, from the next message on. */
  async setMode(mode: 'planning' | 'executing'): Promise<void> {
    ;(await this.#life.shown()).store.setMode(mode)
  }

  async injectApplicationContext(context: ApplicationContext): Promise<void> {
    ;(await this.#life.shown()).injectApplicationContext(context)
  }

  async removeApplicationContext(): Promise<void> {
    ;(await this.#life.shown()).removeApplicationContext()
  }

  /** The text box; as soon as it is there. */
  override focus(options?: FocusOptions): void {
    this.#life.focus(options)
  }

  connectedCallback(): void {
    for (const name of [...TEXT_PROPERTIES, 'getToken', 'bridgeActions', 'security'] as const) takeOver(this, name)
    this.#life.schedule()
  }

  disconnectedCallback(): void {
    this.#life.schedule()
  }

  attributeChangedCallback(): void {
    this.#life.schedule()
  }

  #read(): ChatSettings {
    const language = this.closest<HTMLElement>('[lang]')?.lang || document.documentElement.lang
    return readSettings(this, language)
  }
}

reflectAttributes(ParleyChatElement.prototype, TEXT_PROPERTIES)

/** Makes `<parley-chat>` known. Once is enough; a second copy on the page leaves the first in place. */
export function defineParleyChat(): void {
  if (!customElements.get('parley-chat')) customElements.define('parley-chat', ParleyChatElement)
}
