export type Language = 'en' | 'zh'

/** By locale, in the order POSIX gives its variables; everything that is not Chinese gets English. */
export function languageOf(environment: NodeJS.ProcessEnv): Language {
  const locale = [environment['LC_ALL'], environment['LC_MESSAGES'], environment['LANG']].find(Boolean)
  return locale?.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}
