import { Lexer, type Tokenizer } from 'marked'

type InlineRules = Tokenizer['rules']['inline']

/** Punctuation of Chinese, Japanese and Korean text; the last ones are shared with other languages. */
const MARK =
  '\\u3001-\\u3003\\u3008-\\u3011\\u3014-\\u301F\\uFF01-\\uFF0F\\uFF1A-\\uFF20\\uFF3B-\\uFF40\\uFF5B-\\uFF65“”‘’…—·'
const LETTER = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}'

/** One character of CJK text: a letter or its punctuation. */
export const cjkCharacter: RegExp = new RegExp(`[${MARK}${LETTER}]`, 'u')
/** Punctuation in the sense of the emphasis rules: all but that of CJK, which counts as a letter. */
export const punctuation: RegExp = new RegExp(`(?![${MARK}])[\\p{P}\\p{S}]`, 'u')

/**
 * marked's inline grammar with two changes. CJK has no spaces around its words, so CommonMark's flanking rules reject
 * `**注意：**正文`: here CJK punctuation counts as a letter, and punctuation may stand between a delimiter and a CJK
 * character. And a bare address ends at CJK punctuation.
 */
export const inlineRules: InlineRules = withCjk(Lexer.rules.inline.breaks)

function withCjk(rules: InlineRules): InlineRules {
  return {
    ...rules,
    emStrongLDelim: lettersOfCjk(rules.emStrongLDelim),
    emStrongRDelimUnd: lettersOfCjk(rules.emStrongRDelimUnd),
    emStrongRDelimAst: closers({
      mark: '\\*',
      run: '\\*+',
      skip: '^[^_*]*?__[^_*]*?\\*[^_*]*?(?=__)|[^*]+(?=[^*])',
      not: '(?!~)',
    }),
    delLDelim: lettersOfCjk(rules.delLDelim),
    delRDelim: closers({ mark: '~', run: '~~?', skip: '^[^~]+(?=[^~])', not: '' }),
    punctuation: new RegExp(`${rules.punctuation.source}|^[${LETTER}]`, 'u'),
    url: new RegExp(rules.url.source.replace('[^\\s<]*', `[^\\s<${MARK}]*`)),
  }
}

function lettersOfCjk({ source, flags }: RegExp): RegExp {
  const letters = source
    .replaceAll('[^\\s\\p{P}\\p{S}]', `(?:[^\\s\\p{P}\\p{S}]|[${MARK}])`)
    .replaceAll('[\\s\\p{P}\\p{S}]', `(?![${MARK}])[\\s\\p{P}\\p{S}]`)
    .replaceAll('[\\p{P}\\p{S}]', `(?![${MARK}])[\\p{P}\\p{S}]`)
  return new RegExp(letters, flags)
}

/** marked's six rules of what a delimiter may do, by its neighbours; in (3) and (5) a CJK neighbour lets it close too. */
function closers({ mark, run, skip, not }: Record<'mark' | 'run' | 'skip' | 'not', string>): RegExp {
  const punct = `${not}${punctuation.source}`
  const space = `(?:\\s|${punct})`
  const letter = `(?:[^\\s\\p{P}\\p{S}]|[${MARK}]${not && '|~'})`
  const cjk = `[${MARK}${LETTER}]`
  const rules = [
    `(?!${mark})${punct}(${run})(?=[\\s]|$)`, // (1) only closes
    `${letter}(${run})(?!${mark})(?=${space}|$)`, // (2) only closes
    `(?!${mark})(?:\\s|${punct}(?!${run}${cjk}))(${run})(?=${letter})`, // (3) only opens
    `[\\s](${run})(?!${mark})(?=${punct})`, // (4) only opens
    `(?!${mark})${punct}(${run})(?!${mark})(?=${punct}|${cjk})`, // (5) either
    `${letter}(${run})(?=${letter})`, // (6) either
  ]
  return new RegExp([skip, ...rules].join('|'), 'gu')
}
