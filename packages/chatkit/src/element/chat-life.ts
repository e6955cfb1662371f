import { chatKitError } from '../model/chat-kit-error.ts'
import { activeIn } from '../react/controls/active-in.ts'
import type { MountedChatKit } from '../react/kit/mount-chat-kit.tsx'
import { isOtherChat, type ChatSettings } from './chat-settings.ts'
import { type ChatHost, type Kept, showChat, type ShownChat } from './shown-chat.ts'
import { createTokenSource, type GetToken, type TokenSource } from './token-source.ts'

/** The element, as its chat sees it. */
export type LifeHost = Omit<ChatHost, 'refreshToken'> & {
  isInPage: () => boolean
  /** What the attributes say now. */
  read: () => ChatSettings
  paint: (accent: string | undefined) => void
}

/**
 * The chats of one element, one after the other.
 *
 *     disconnected ── connected ──▶ asking for a token ──▶ shown ── other server or language ──▶ asking …
 *           ◀──────────────── taken out of the page ─────────────────┘
 */
export class ChatLife {
  readonly #frame: HTMLElement
  readonly #host: LifeHost
  readonly #tokens: TokenSource
  #settings: ChatSettings | null = null
  #chat: ShownChat | null = null
  #isDue = false
  #openings = 0
  #wantsFocus = false
  #waiting: ((kit: MountedChatKit) => void)[] = []

  constructor(frame: HTMLElement, host: LifeHost) {
    this.#frame = frame
    this.#host = host
    this.#tokens = createTokenSource({
      settings: () => this.#settings,
      renew: () => this.#chat?.renewToken(),
      onError: (error) => host.emit('error', error),
    })
  }

  get getToken(): GetToken | undefined {
    return this.#tokens.getToken
  }

  set getToken(getToken: GetToken | undefined) {
    this.#tokens.getToken = getToken
    // The page's script came after ours: the chat stands without a token and must not use the login cookie instead.
    if (this.#chat?.hasToken() === false) this.#reopen(this.#chat.leave())
    else this.hostChanged()
  }

  /** What the page allows is another. */
  hostChanged(): void {
    this.#chat?.hostChanged()
  }

  /** The chat, as soon as it is there. */
  shown(): Promise<MountedChatKit> {
    if (this.#chat) return Promise.resolve(this.#chat.kit)
    if (!this.#host.isInPage())
      return Promise.reject(chatKitError('unsupported', 'The chat is not in the page. Add the element first.'))
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  focus(options?: FocusOptions): void {
    const box = this.#frame.querySelector<HTMLElement>('.ck-composer-text')
    this.#wantsFocus = box === null
    box?.focus(options)
  }

  /** Several changes are one, and an element that is only moved in the page keeps its chat. */
  schedule(): void {
    if (this.#isDue) return
    this.#isDue = true
    queueMicrotask(() => {
      this.#isDue = false
      this.#update()
    })
  }

  #update(): void {
    const before = this.#settings
    const after = this.#host.isInPage() ? this.#host.read() : null
    this.#settings = after
    if (!after) return this.#leave()
    if (!before) return void this.#open(undefined)
    this.#host.paint(after.accent)
    if (!isOtherChat(before, after)) return this.#chat?.apply(before, after)
    const kept = this.#chat?.leave()
    this.#reopen(before.server === after.server && before.agent === after.agent ? kept : undefined)
  }

  #reopen(kept: Kept | undefined): void {
    this.#wantsFocus ||= activeIn(this.#frame) !== null
    this.#chat = null
    void this.#open(kept)
  }

  async #open(kept: Kept | undefined): Promise<void> {
    const own = (this.#openings += 1)
    // Before the first request: without a token the browser would send the login cookie of whoever sits there.
    const token = this.#settings?.token || (await this.#tokens.askFirst())
    const settings = this.#settings
    if (own !== this.#openings || !settings) return
    this.#host.paint(settings.accent)
    const host = { ...this.#host, refreshToken: () => this.#tokens.find() }
    this.#chat = showChat(this.#frame, { settings, token, kept, host })
    const { kit } = this.#chat
    if (this.#wantsFocus) this.focus()
    for (const resolve of this.#waiting.splice(0)) resolve(kit)
  }

  #leave(): void {
    this.#tokens.rest()
    this.#openings += 1
    this.#chat?.leave()
    this.#chat = null
  }
}
