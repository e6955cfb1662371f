/** Bytes that no provider should send: shapes thought up, and more of them by chance, the same for the same number. */

const WRONG: unknown[] = [
  null,
  0,
  -1,
  1e308,
  '',
  'x',
  true,
  [],
  {},
  [null],
  [[[]]],
  { length: 3 },
  [{}],
  '\u0000',
  '\ud800',
]

/** Where a chunk can be wrong. */
const PLACES: ((wrong: unknown) => unknown)[] = [
  (wrong) => wrong,
  (choices) => ({ choices }),
  (choice) => ({ choices: [choice] }),
  (delta) => ({ choices: [{ delta }] }),
  (tool_calls) => ({ choices: [{ delta: { tool_calls } }] }),
  (call) => ({ choices: [{ delta: { tool_calls: [call] } }] }),
  (named) => ({ choices: [{ delta: { tool_calls: [{ index: 0, id: 'c', function: named }] } }] }),
  (name) => ({ choices: [{ delta: { tool_calls: [{ index: 0, id: 'c', function: { name, arguments: '{}' } }] } }] }),
  (text) => ({
    choices: [{ delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'Glob', arguments: text } }] } }],
  }),
  (id) => ({ choices: [{ delta: { tool_calls: [{ index: 0, id, function: { name: 'Glob', arguments: '{}' } }] } }] }),
  (index) => ({ choices: [{ delta: { tool_calls: [{ index, id: 'c', function: { name: 'Glob' } }] } }] }),
  (extra_content) => ({
    choices: [{ delta: { tool_calls: [{ index: 0, id: 'c', extra_content, function: { name: 'Glob' } }] } }],
  }),
  (content) => ({ choices: [{ delta: { content } }] }),
  (content) => ({ choices: [{ delta: { content: [content] } }] }),
  (reasoning_content) => ({ choices: [{ delta: { reasoning_content } }] }),
  (refusal) => ({ choices: [{ delta: { refusal } }] }),
  (finish_reason) => ({ choices: [{ delta: { content: 'x' }, finish_reason }] }),
  (usage) => ({ choices: [], usage }),
  (tokens) => ({
    choices: [],
    usage: { prompt_tokens: tokens, completion_tokens: tokens, prompt_tokens_details: tokens },
  }),
  (error) => ({ error }),
]

export const SHAPES = PLACES.length * WRONG.length

/** The events of one answer, wrong at one place, or, beyond the table, anything at all. */
export function shape(n: number): string[] {
  const place = PLACES[Math.floor(n / WRONG.length)]
  const end = JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] })
  if (place) return [JSON.stringify(place(WRONG[n % WRONG.length])), end, '[DONE]']
  const chance = chanceFrom(n)
  return [...Array.from({ length: 5 }, () => JSON.stringify(anything(chance, 6))), end, '[DONE]']
}

const KEYS =
  'choices delta tool_calls function name arguments id index content error usage finish_reason __proto__'.split(' ')

function anything(chance: () => number, depth: number): unknown {
  const pick = chance()
  if (depth === 0 || pick < 0.3) return WRONG[Math.floor(chance() * WRONG.length)]
  const size = Math.floor(chance() * 4)
  if (pick < 0.5) return Array.from({ length: size }, () => anything(chance, depth - 1))
  return Object.fromEntries(
    Array.from({ length: size + 1 }, () => [KEYS[Math.floor(chance() * KEYS.length)], anything(chance, depth - 1)]),
  )
}

/** Mulberry32: small, and the same everywhere. */
function chanceFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}
