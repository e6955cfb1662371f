export type Language = 'en' | 'zh'

/** By locale, in the order POSIX gives its variables; everything that is not Chinese gets English. */
export function languageOf(environment: NodeJS.ProcessEnv): Language {
  const locale = [environment['LC_ALL'], environment['LC_MESSAGES'], environment['LANG']].find(Boolean)
  return languageOfTag(locale ?? '') ?? 'en'
}

/**
 * Takes `--language` out of a command line: every command understands it, and what is wrong with the rest is said in it
 * already. `wanted` is what it names, in whatever form.
 */
export function takeLanguage(args: readonly string[]): { rest: string[]; wanted: string | undefined } {
  const end = args.indexOf('--')
  const at = args.findIndex((arg, index) => (end < 0 || index < end) && /^--language(=|$)/.test(arg))
  if (at < 0) return { rest: [...args], wanted: undefined }
  const [, inline] = /^--language=(.*)$/s.exec(args[at]!) ?? []
  const rest = args.filter((_, index) => index !== at && (inline !== undefined || index !== at + 1))
  return { rest, wanted: inline ?? args[at + 1] ?? '' }
}

export function languageOfTag(tag: string): Language | undefined {
  const [primary] = tag.toLowerCase().split(/[-_.]/)
  return primary === 'zh' || primary === 'en' ? primary : undefined
}
