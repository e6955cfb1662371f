/** What a text looks like that should be in nobody's memory, in words; `null` when it looks harmless. */
export function secretShapeIn(text: string): string | null {
  return SHAPES.find(({ isIn }) => isIn(text))?.name ?? null
}

const NAMED = String.raw`(?:pass ?word|passwd|pass ?phrase|pass ?code|pin|pin code|secret|api[ _-]?key|access[ _-]?key|token|credentials?|密码|口令|暗号|密钥|令牌|验证码)`
const SAYS = String.raw`(?:\s+(?:is|was|will be)\s+(?:now\s+)?|\s*(?:[:=：＝]|是|为|改成了?|改为|换成了?)\s*)`

const SHAPES: readonly { name: string; isIn: (text: string) => boolean }[] = [
  { name: 'a private key', isIn: has(/-----BEGIN [A-Z ]*PRIVATE KEY-----/) },
  { name: 'a GitHub token', isIn: has(/\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})/) },
  { name: 'an AWS key', isIn: has(/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/) },
  { name: 'a Slack token', isIn: has(/\bxox[abeoprs]-[\w-]{10,}/) },
  { name: 'a Google key', isIn: has(/\bAIza[\w-]{30,}/) },
  { name: 'an API key', isIn: has(/\b(?:sk|pk|rk)[-_][\w-]{16,}/) },
  { name: 'a signed token', isIn: has(/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/) },
  { name: 'a bearer token', isIn: has(/\bbearer\s+[\w.~+/=-]{16,}/i) },
  { name: 'an address with a password', isIn: has(/\b[a-z][a-z\d+.-]*:\/\/[^\s/:@]*:[^\s/@]+@/i) },
  // A value has a digit or a sign in it, so that "my password is rotated monthly" may be said.
  {
    name: 'a password',
    isIn: has(new RegExp(`${NAMED}${SAYS}["'“‘\`]?(?=[!-~]{4,})(?=[!-~]*[\\d!#-+./:-@^_|~])[!-~]+`, 'i')),
  },
  { name: 'a card number', isIn: hasCardNumber },
  { name: 'a long random text', isIn: (text) => text.split(/[\s,;，。；“”"'`()（）<>]+/u).some(isRandom) },
]

function has(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text)
}

function hasCardNumber(text: string): boolean {
  const numbers = text.match(/\b\d(?:[ -]?\d){12,18}\b/g) ?? []
  return numbers.some((number) => isLuhn([...number.replace(/\D/g, '')].map(Number)))
}

function isLuhn(digits: readonly number[]): boolean {
  const sum = digits.reduceRight((total, digit, index) => {
    const doubled = (digits.length - index) % 2 === 0 ? digit * 2 : digit
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}

/** Capitals, small letters and digits in one long word, all over it, as keys are; names and addresses have no such word. */
function isRandom(word: string): boolean {
  if (word.length < 24 || !/^[\w+/=.-]+$/.test(word)) return false
  const changes = word.match(/[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0
  return /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word) && changes >= word.length / 6
}
