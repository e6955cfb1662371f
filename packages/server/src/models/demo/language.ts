/** The languages of the demo. Every text it says exists in both. */
export type Language = 'zh' | 'en'
export type Text = Readonly<Record<Language, string>>

/** The language to answer in: that of the question. */
export function languageOfText(text: string): Language {
  return /\p{Script=Han}/u.test(text) ? 'zh' : 'en'
}
