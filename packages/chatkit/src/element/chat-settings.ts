/** What the attributes of `<parley-chat>` say, with defaults. */
export type ChatSettings = {
  /** Origin of the server; `''` is the page's own. */
  server: string
  token: string
  session: string
  mode: 'copilot' | 'assistant'
  theme: 'light' | 'dark' | 'auto'
  locale: string
  heading: string | undefined
  isClosable: boolean
  bridgeActions: readonly string[]
}

export const ATTRIBUTES = [
  'server',
  'token',
  'session',
  'mode',
  'theme',
  'locale',
  'heading',
  'closable',
  'bridge-actions',
] as const

/** Attributes whose property has the same name and holds the same text. */
export const TEXT_PROPERTIES = ['server', 'token', 'session', 'mode', 'theme', 'locale', 'heading'] as const

type Named = { getAttribute(name: (typeof ATTRIBUTES)[number]): string | null }

/** An unknown mode or theme is the default one: a newer page must not break an older kit. */
export function readSettings(element: Named, pageLocale: string): ChatSettings {
  const text = (name: (typeof ATTRIBUTES)[number]) => element.getAttribute(name)?.trim() ?? ''
  const theme = text('theme')
  return {
    server: text('server'),
    token: text('token'),
    session: text('session'),
    mode: text('mode') === 'assistant' ? 'assistant' : 'copilot',
    theme: theme === 'light' || theme === 'dark' ? theme : 'auto',
    locale: text('locale') || pageLocale || 'en',
    heading: text('heading') || undefined,
    isClosable: element.getAttribute('closable') !== null,
    bridgeActions: text('bridge-actions').split(/\s+/).filter(Boolean),
  }
}

/** Another server is another chat; another language needs other words in the store too. */
export function isOtherChat(before: ChatSettings, after: ChatSettings): boolean {
  return before.server !== after.server || before.locale !== after.locale
}
