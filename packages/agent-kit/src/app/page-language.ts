/** The language of the page, as `Intl` takes it: pages also write `zh_CN`. Not ChatKit's: this entry works without it. */
export function pageLanguage(): string {
  const language = (typeof document === 'undefined' ? '' : document.documentElement.lang) || 'en'
  try {
    return Intl.getCanonicalLocales(language.trim().replaceAll('_', '-'))[0] ?? 'en'
  } catch {
    return /^zh/i.test(language) ? 'zh-CN' : 'en'
  }
}
