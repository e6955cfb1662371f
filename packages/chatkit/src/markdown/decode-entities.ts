/** The names people and models write, each before its character; all others stay as they are. Numbers always work. */
const NAMES = new Map(
  [
    'amp& lt< gt> quot" apos\' nbsp\u00a0 copy© reg® trade™ hellip… mdash— ndash– lsquo‘ rsquo’ ldquo“',
    'rdquo” laquo« raquo» bull• middot· deg° plusmn± times× divide÷ frac12½ sup2² sup3³ microµ para¶',
    'sect§ cent¢ pound£ yen¥ euro€ larr← uarr↑ rarr→ darr↓ harr↔ rArr⇒ le≤ ge≥ ne≠ asymp≈ infin∞ radic√',
    'sum∑ alphaα betaβ gammaγ deltaδ lambdaλ muμ piπ sigmaσ omegaω ensp\u2002 emsp\u2003 thinsp\u2009',
    'shy\u00ad lbrace{ rbrace} lsqb[ rsqb] vert| num# ast* lowbar_ grave` colon: Tab\t NewLine\n',
  ]
    .flatMap((line) => line.split(' '))
    .map((pair): [string, string] => [pair.slice(0, -1), pair.slice(-1)]),
)

/** Character references of HTML as the characters they stand for. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(
    /&(?:#(\d{1,7}|[xX][\da-fA-F]{1,6})|([A-Za-z][A-Za-z\d]{1,31}));/g,
    (raw: string, number: string, name: string | undefined) => {
      if (name !== undefined) return NAMES.get(name) ?? raw
      const code = Number(`0${number}`) // `x41` becomes `0x41`; a zero in front of decimals changes nothing.
      return code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code)
    },
  )
}
