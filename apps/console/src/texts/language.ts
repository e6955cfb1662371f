import { createContext, useContext } from 'react'

export type Language = 'en' | 'zh'

/** A page's words. The compiler finds a sentence that one language lacks. */
export type Catalogue<Words> = { en: Words; zh: Words }

const KEPT = 'parley.language'

/** What the reader chose here, else what their browser asks for. */
export function preferredLanguage(): Language {
  const kept = localStorage.getItem(KEPT)
  if (kept === 'en' || kept === 'zh') return kept
  return /^zh(?![a-z])/i.test(navigator.language) ? 'zh' : 'en'
}

export function keepLanguage(language: Language): void {
  localStorage.setItem(KEPT, language)
}

/** Fonts, line breaks and ChatKit read the language of the page. */
export function speak(language: Language): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
}

export const LanguageContext = createContext<Language>('en')

export const useLanguage = (): Language => useContext(LanguageContext)

export function useWords<Words>(catalogue: Catalogue<Words>): Words {
  return catalogue[useLanguage()]
}
