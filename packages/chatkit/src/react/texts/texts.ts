import type { ConsentTexts } from './consent-texts.ts'
import { en, type SkinTexts } from './en.ts'
import { zhCN } from './zh-cn.ts'

export type { SkinTexts }

/** What a host may say in its own words. */
export type OwnTexts = Partial<SkinTexts & ConsentTexts>

export const skinTexts: Record<'zh-CN' | 'en', SkinTexts> = { 'zh-CN': zhCN, en }

/** Chinese for any `zh…`, English for everything else; the host's own words win. */
export function resolveTexts(locale: string, own: OwnTexts = {}): SkinTexts {
  return { ...(/^zh\b/i.test(locale) ? zhCN : en), ...own }
}
