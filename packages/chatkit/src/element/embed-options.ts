import { tellDeveloper } from '../model/dev-warning.ts'
import { accentOf } from './accent.ts'
import { choiceOf, ownAddress } from './choice.ts'
import { iconOf, type LauncherIcon } from './launcher-icon.ts'

export type EmbedOptions = {
  server: string
  token: string | undefined
  tokenUrl: string | undefined
  agent: string | undefined
  title: string | undefined
  locale: string | undefined
  theme: 'light' | 'dark' | 'system'
  position: 'left' | 'right'
  icon: LauncherIcon
  accent: string | undefined
  greeting: string | undefined
  questions: string | undefined
  /** Whether the tab keeps the conversation and the open panel. */
  remember: boolean
  /** False: only the element is defined. */
  hasLauncher: boolean
}

type ScriptData = { src: string; dataset: Readonly<Record<string, string | undefined>> }

/** What the script tag says. The server is where the script came from, unless another is named. */
export function readEmbedOptions({ src, dataset }: ScriptData): EmbedOptions {
  const text = (name: string) => dataset[name]?.trim() ?? ''
  return {
    server: serverOf(text('server'), src),
    token: text('token') || undefined,
    tokenUrl: ownAddress('data-token-url', text('tokenUrl')) || undefined,
    agent: text('agent') || undefined,
    title: text('title') || undefined,
    locale: text('locale') || text('language') || undefined,
    theme: choiceOf('data-theme', text('theme'), ['system', 'light', 'dark']),
    position: choiceOf('data-position', text('position'), ['right', 'left']),
    icon: iconOf('data-icon', text('icon')),
    accent: accentOf('data-accent', text('accent')),
    greeting: text('greeting') || undefined,
    questions: text('questions') || undefined,
    remember: choiceOf('data-remember', text('remember'), ['on', 'off']) === 'on',
    hasLauncher: choiceOf('data-launcher', text('launcher'), ['on', 'off']) === 'on',
  }
}

function serverOf(given: string, src: string): string {
  const own = URL.canParse(src) ? new URL(src).origin : ''
  if (given === '') return own
  const isAddress = URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)
  if (isAddress) return new URL(given).origin
  tellDeveloper(
    `data-server takes the address of a Parley server such as https://parley.example.com; it is "${given}".`,
  )
  return own
}
