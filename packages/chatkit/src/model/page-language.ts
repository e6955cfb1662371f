/** The `lang` of the page; English where there is none. */
export function pageLanguage(): string {
  const { document } = globalThis as { document?: { documentElement: { lang: string } } }
  return languageTag(document?.documentElement.lang || 'en')
}

/** A language as `Intl` takes it. Pages and hosts also write `zh_CN`, which is no tag but means one. */
export function languageTag(language: string): string {
  const tag = language.trim().replaceAll('_', '-')
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? 'en'
  } catch {
    return /^zh/i.test(tag) ? 'zh-CN' : 'en'
  }
}
