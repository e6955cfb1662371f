import { accentOf } from './accent.ts'
import { choiceOf, ownAddress, questionsOf } from './choice.ts'

/** What the attributes of `<parley-chat>` say, with defaults. */
export type ChatSettings = {
  /** Origin of the server; `''` is the page's own. */
  server: string
  token: string
  /** Where the page's own server gives out tokens; `''`: nowhere. */
  tokenUrl: string
  session: string
  /** Name of the agent that answers in new conversations; `''`: the server's own. */
  agent: string
  mode: 'copilot' | 'assistant'
  theme: 'light' | 'dark' | 'auto'
  locale: string
  heading: string | undefined
  accent: string | undefined
  /** The opening text; Markdown. */
  greeting: string | undefined
  questions: readonly string[]
  /** Under which name this tab keeps the conversation; false: it does not. */
  remember: string | false
  isClosable: boolean
  bridgeActions: readonly string[]
}

export const ATTRIBUTES = [
  'server',
  'token',
  'token-url',
  'session',
  'agent',
  'mode',
  'theme',
  'locale',
  'heading',
  'accent',
  'greeting',
  'questions',
  'remember',
  'closable',
  'bridge-actions',
] as const

/** Attributes whose property has the same name and holds the same text. */
export const TEXT_PROPERTIES = [
  ...(['server', 'token', 'session', 'agent', 'mode', 'theme', 'locale', 'heading'] as const),
  ...(['accent', 'greeting', 'questions', 'remember'] as const),
] as const

type Named = { getAttribute(name: (typeof ATTRIBUTES)[number] | 'id'): string | null }

/** An unknown mode or theme is the default one: a newer page must not break an older kit. */
export function readSettings(element: Named, pageLocale: string): ChatSettings {
  const text = (name: (typeof ATTRIBUTES)[number]) => element.getAttribute(name)?.trim() ?? ''
  const named = (name: (typeof ATTRIBUTES)[number]) => `<parley-chat ${name}>`
  const theme = choiceOf(named('theme'), text('theme'), ['auto', 'system', 'light', 'dark'])
  const remember = text('remember')
  return {
    server: text('server'),
    token: text('token'),
    tokenUrl: ownAddress(named('token-url'), text('token-url')),
    session: text('session'),
    agent: text('agent'),
    mode: choiceOf(named('mode'), text('mode'), ['copilot', 'assistant']),
    theme: theme === 'system' ? 'auto' : theme,
    locale: text('locale') || pageLocale || 'en',
    heading: text('heading') || undefined,
    accent: accentOf(named('accent'), text('accent')),
    greeting: text('greeting') || undefined,
    questions: questionsOf(text('questions')),
    remember: remember === 'off' ? false : remember || element.getAttribute('id') || text('agent') || 'chat',
    isClosable: element.getAttribute('closable') !== null,
    bridgeActions: text('bridge-actions').split(/\s+/).filter(Boolean),
  }
}

/** Another server or agent is another chat; another language needs other words in the store too, and so does another opening. */
export function isOtherChat(before: ChatSettings, after: ChatSettings): boolean {
  const own = ({ server, agent, locale, greeting, questions }: ChatSettings) =>
    [server, agent, locale, greeting, ...questions].join('\n')
  return own(before) !== own(after)
}
