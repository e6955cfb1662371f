import { textOf, type TurnProjection } from '@parley/protocol'

const MAX_CHARACTERS = 500

/** The end of what an agent said in the turn in which it asks, for whoever decides. */
export function askedAfter(turn: Pick<TurnProjection, 'blocks'>): string {
  const said = textOf(turn).trim()
  const end = said.length <= MAX_CHARACTERS ? said : `…${said.slice(1 - MAX_CHARACTERS)}`
  // A column of its own: PostgreSQL takes no NUL there, nor half a character.
  return end.replaceAll('\0', '\uFFFD').toWellFormed()
}
