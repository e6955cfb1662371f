export type Language = 'zh' | 'en'

/** Nobody means more by a header than this. */
const MAX_CHARACTERS = 500

/** What a tag such as `zh-CN` asks for; `undefined` for a language that is not spoken here. */
export function languageOfTag(tag: string): Language | undefined {
  const [primary] = tag.trim().toLowerCase().split(/[-_]/)
  return primary === 'zh' || primary === 'en' ? primary : undefined
}

/** What a locale asks for, in the order POSIX gives its variables; `C`, or another language, leaves the choice to the server. */
export function languageOfLocale(environment: NodeJS.ProcessEnv): Language | undefined {
  const { LC_ALL, LC_MESSAGES, LANG } = environment
  return languageOfTag((LC_ALL || LC_MESSAGES || LANG || '').split('.')[0]!)
}

/** The best language of an `Accept-Language`; `undefined` when it leaves the choice to the server. */
export function acceptedLanguage(header: string | undefined): Language | undefined {
  const wishes = (header ?? '').slice(0, MAX_CHARACTERS).split(',').map(wishOf)
  const spoken = wishes.filter(({ tag, weight }) => weight > 0 && (tag === '*' || languageOfTag(tag) !== undefined))
  const [best] = spoken.sort((a, b) => b.weight - a.weight)
  return best && languageOfTag(best.tag)
}

function wishOf(part: string): { tag: string; weight: number } {
  const [tag = '', ...parameters] = part.split(';').map((text) => text.trim())
  const weight = Number(parameters.find((text) => text.startsWith('q='))?.slice(2) ?? 1)
  return { tag, weight: Number.isFinite(weight) ? weight : 0 }
}
