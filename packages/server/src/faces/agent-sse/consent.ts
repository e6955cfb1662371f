const CONSENT = new Set(['yes', 'y', '是', '确认', '确定', 'confirm', 'ok'])

/** [S8.3] Exactly these words, however they are written; a question is none of them. */
export function isConsent(text: string): boolean {
  const plain = text.normalize('NFKC').trim().toLowerCase()
  return CONSENT.has(plain.replace(/[.。!！]+$/, '').trimEnd())
}
