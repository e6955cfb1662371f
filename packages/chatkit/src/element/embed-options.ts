export type EmbedOptions = {
  server: string
  token: string | undefined
  title: string | undefined
  locale: string | undefined
  theme: 'light' | 'dark' | 'system'
  position: 'left' | 'right'
  /** False: only the element is defined. */
  hasLauncher: boolean
}

type ScriptData = { src: string; dataset: Readonly<Record<string, string | undefined>> }

/** What the script tag says. The server is where the script came from, unless another is named. */
export function readEmbedOptions({ src, dataset }: ScriptData): EmbedOptions {
  const { server, token, title, locale, theme, position, launcher } = dataset
  return {
    server: server || (URL.canParse(src) ? new URL(src).origin : ''),
    token: token || undefined,
    title: title || undefined,
    locale: locale || undefined,
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    position: position === 'left' ? 'left' : 'right',
    hasLauncher: launcher !== 'off',
  }
}
