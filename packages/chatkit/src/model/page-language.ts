/** The `lang` of the page; English where there is none. */
export function pageLanguage(): string {
  const { document } = globalThis as { document?: { documentElement: { lang: string } } }
  return document?.documentElement.lang || 'en'
}
