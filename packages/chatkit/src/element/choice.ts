import { tellDeveloper } from '../model/dev-warning.ts'

/** One of the allowed words. Another one is told to the developer and counts as the default: the page must not break. */
export function choiceOf<Word extends string>(
  name: string,
  given: string,
  [usual, ...others]: readonly [Word, ...Word[]],
): Word {
  const allowed = [usual, ...others]
  const found = allowed.find((word) => word === given)
  if (found === undefined && given !== '') tellDeveloper(`${name} takes ${allowed.join(', ')}; it is "${given}".`)
  return found ?? usual
}

/** An address on the page's own origin, else `''`: what belongs to the visitor's sign-in is asked of nobody else. */
export function ownAddress(name: string, given: string): string {
  const { location } = globalThis as { location?: { href: string; origin: string } }
  if (given === '' || !location) return given
  const isOwn = URL.canParse(given, location.href) && new URL(given, location.href).origin === location.origin
  if (!isOwn)
    tellDeveloper(`${name} takes an address on this page's own origin, such as /chat-token; it is "${given}".`)
  return isOwn ? given : ''
}

const MAX_QUESTIONS = 20
const MAX_QUESTION = 200

/** Preset questions in one attribute: `Where is my order? | How do I pay?`, or one on each line. */
export function questionsOf(given: string): string[] {
  const questions = given.split(/[|\n]/).map((question) => question.trim().slice(0, MAX_QUESTION))
  return questions.filter(Boolean).slice(0, MAX_QUESTIONS)
}
