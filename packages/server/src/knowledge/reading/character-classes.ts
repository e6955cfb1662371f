/** What a character is to whoever looks for places to cut. From `closer` on, it may end something. */
export const CLASS = {
  other: 0,
  space: 1,
  ideograph: 2,
  closer: 3,
  clauseEnd: 4,
  clauseEndBeforeSpace: 5,
  sentenceEnd: 6,
  sentenceEndBeforeSpace: 7,
} as const

/** A look into a table: this is asked for every character, a million times in a long text. */
const classes = new Uint8Array(0x10000)
classes.fill(CLASS.ideograph, 0x3041, 0x3097)
classes.fill(CLASS.ideograph, 0x3400, 0x4dc0)
classes.fill(CLASS.ideograph, 0x4e00, 0xa000)
// What `\s` means.
classes.fill(CLASS.space, 0x2000, 0x200b)
mark('\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff', CLASS.space)
// They belong to the sentence they close.
mark('”’」』）】》〉"\')]*_`', CLASS.closer)
mark('，、：—､', CLASS.clauseEnd)
mark(',;:', CLASS.clauseEndBeforeSpace)
mark('。！？；…｡', CLASS.sentenceEnd)
mark('.!?', CLASS.sentenceEndBeforeSpace)

function mark(characters: string, name: number): void {
  for (const character of characters) classes[character.charCodeAt(0)] = name
}

/** Of a UTF-16 code unit; `NaN`, behind the end of a text, is some other character. */
export function classOf(code: number): number {
  return classes[code] ?? CLASS.other
}

export function isSpace(code: number): boolean {
  return classes[code] === CLASS.space
}

export function isIdeograph(code: number): boolean {
  return classes[code] === CLASS.ideograph
}
