/** The page under test: one chat over a scripted back end, driven by the tests through `window.test`. */
import '@parley/chatkit/chatkit.css'
import './page.css'
import type { TurnProjection } from '@parley/protocol'
import { createElement, StrictMode, version } from 'react'
import { createRoot } from 'react-dom/client'
import { flushSync } from 'react-dom'
import { Markdown } from '../../../src/markdown/markdown.tsx'
import { toChatMessage } from '../../../src/model/chat-message.ts'
import type { ChatOp } from '../../../src/model/chat-op.ts'
import { ChatKit } from '../../../src/react/kit/chat-kit.tsx'
import { ReadOnlyThread } from '../../../src/react/messages/read-only-thread.tsx'
import { mountChatKit, type MountedChatKit } from '../../../src/react/kit/mount-chat-kit.tsx'
import { ownParts } from './own-parts.ts'
import { passageSource } from './passage-scene.ts'
import { scenes, type SceneName } from './scenes.ts'
import { createScript } from './script.ts'

export type TestPage = {
  reactVersion: string
  kit: MountedChatKit
  bridged: unknown[]
  errors: unknown[]
  /** Codes that the kit reported to the host. */
  reported: string[]
  answers: unknown[]
  push: (op: ChatOp) => void
  finish: () => void
  renderMarkdown: (id: string, text: string, streaming: boolean) => void
  /** Draws a second chat, or draws it again under another name: as a component, with callbacks of this drawing. */
  drawComponent: (name: string) => void
  pushToComponent: (op: ChatOp) => void
  /** Draws a conversation to be looked at, in place of the chat. */
  drawThread: (given: SceneName | TurnProjection[]) => void
}

const query = new URLSearchParams(location.search)
const locale = query.get('locale') ?? 'en'
document.documentElement.lang = locale
document.documentElement.dir = query.get('dir') ?? 'ltr'
const element = document.querySelector('#chat')!
if (query.get('mode') !== 'assistant') element.classList.add('side')

const theme = (query.get('theme') ?? 'light') as 'light' | 'dark' | 'auto'
const scene = query.get('scene') as SceneName | null
const script = createScript(scenes(locale), query.has('late'))
const bridged: unknown[] = []
const errors: unknown[] = []
const reported: string[] = []
addEventListener('error', ({ message }) => errors.push(message))
addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason)))

const kit = mountChatKit(element, {
  adapter: {
    ...script.adapter,
    ...(query.has('planning') && { hasPlanning: true }),
    ...(scene === 'passages' && { openSource: passageSource(locale.startsWith('zh')) }),
    ...(query.has('comments') && { commentLength: 100 }),
  },
  locale,
  mode: query.get('mode') === 'assistant' ? 'assistant' : 'copilot',
  theme,
  onClose: () => {},
  visible: !query.has('hidden'),
  conversationID: query.get('conversation') ?? undefined,
  initialQuestion: query.get('question') ?? undefined,
  user: { name: 'Mira' },
  ...(query.has('plain') && { showAuthors: false, ownMessages: 'end' }),
  ...(query.has('context') && { defaultApplicationContext: { title: query.get('context')!, data: {} } }),
  components: ownParts(query.getAll('part')),
  onBridge: (action, payload) => bridged.push([action, payload]),
  onError: ({ code }) => reported.push(code),
  ...(query.has('frame') && { security: { cardFrame: query.get('frame')! } }),
})

const roots = new Map<string, ReturnType<typeof createRoot>>()
function renderMarkdown(id: string, text: string, streaming: boolean) {
  let root = roots.get(id)
  if (!root) {
    const place = document.createElement('div')
    place.id = id
    document.body.append(place)
    root = createRoot(place)
    roots.set(id, root)
  }
  const drawn = root
  flushSync(() => drawn.render(createElement(Markdown, { text, streaming })))
}

const second = createScript(scenes(locale))
let component: ReturnType<typeof createRoot> | undefined
function drawComponent(name: string) {
  component ??= createRoot(document.body.appendChild(document.createElement('div')))
  const onBridge = (action: string) => bridged.push([name, action])
  const chat = createElement(ChatKit, { adapter: second.adapter, locale, title: name, onBridge })
  component.render(createElement(StrictMode, null, chat))
}

let thread: ReturnType<typeof createRoot> | undefined
function drawThread(given: SceneName | TurnProjection[]) {
  if (!thread) {
    kit.unmount()
    thread = createRoot(element)
  }
  const content =
    typeof given === 'string' ? { messages: scenes(locale)[given].map((one) => toChatMessage(one)) } : { turns: given }
  const drawn = thread
  flushSync(() =>
    drawn.render(
      createElement(ReadOnlyThread, { ...content, locale, theme, role: 'region', 'aria-label': 'At event 3' }),
    ),
  )
}

const page: TestPage = {
  reactVersion: version,
  kit,
  bridged,
  errors,
  reported,
  answers: script.answers,
  push: script.push,
  finish: script.finish,
  renderMarkdown,
  drawComponent,
  pushToComponent: second.push,
  drawThread,
}
Object.assign(window, { test: page })

if (scene) void kit.loadConversation(scene)
