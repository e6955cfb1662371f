const TEXTS = {
  en: { chat: 'Chat' },
  zh: { chat: '聊天' },
}

/** The few words outside the kit. Chinese for any `zh…`, English for everything else. */
export function launcherTexts(locale: string): { chat: string } {
  return TEXTS[/^zh(?![a-z])/i.test(locale) ? 'zh' : 'en']
}
