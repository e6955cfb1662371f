/**
 * One tokeniser for both databases and for queries: words of letters and digits as they are, lower-cased; Chinese,
 * Japanese and Korean text as overlapping pairs of characters, because neither engine knows where its words end. The
 * last character of such a text also stands alone, so that every single character can be found as a beginning.
 */
export function searchTokens(text: string): string[] {
  return runsOf(text).flatMap((run) => (run.isCjk ? pairs(run.text) : [run.text]))
}

/** What a query must contain: every token, the last word as a beginning while it is being typed. */
export function queryTokens(query: string): { token: string; isPrefix: boolean }[] {
  const runs = runsOf(query)
  return runs.flatMap((run, index) => {
    const isLast = index === runs.length - 1
    if (!run.isCjk) return [{ token: run.text, isPrefix: isLast }]
    const characters = [...run.text]
    if (characters.length === 1) return [{ token: run.text, isPrefix: true }]
    return pairs(run.text)
      .slice(0, -1)
      .map((token) => ({ token, isPrefix: false }))
  })
}

const CJK = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}`
const RUNS = new RegExp(String.raw`(?<cjk>[${CJK}]+)|(?<word>(?:(?![${CJK}])[\p{L}\p{N}\p{M}])+)`, 'gu')
const WORD_LENGTH = 64
/** Of a longer text the beginning is found: PostgreSQL refuses to index more than a megabyte of different words. */
const TEXT_LENGTH = 64 * 1024

function runsOf(text: string): { text: string; isCjk: boolean }[] {
  // Cut before, because it costs time, and after, because one character may become eighteen.
  const plain = text.slice(0, TEXT_LENGTH).normalize('NFKC').toLowerCase().slice(0, TEXT_LENGTH)
  return [...plain.matchAll(RUNS)].map((match) => ({
    text: match.groups?.['cjk'] ?? match[0].slice(0, WORD_LENGTH),
    isCjk: match.groups?.['cjk'] !== undefined,
  }))
}

function pairs(text: string): string[] {
  const characters = [...text]
  return characters.map((character, index) => character + (characters[index + 1] ?? ''))
}
