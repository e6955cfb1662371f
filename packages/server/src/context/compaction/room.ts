/** Of the window: what stays as it is, what one call may be given to sum up, what a summary may be. */
const KEPT_SHARE = 0.25
const RECORD_SHARE = 0.5
const OUTPUT_SHARE = 0.1
const MOST_OUTPUT = 8_000
const LEAST_OUTPUT = 256
/** As long as nobody knows the window: most models of today have more. */
const UNKNOWN_WINDOW = 32_000
/** Letters of a token, about; for room, not for counts. */
const CHARACTERS_PER_TOKEN = 2

export type Room = { keepTokens: number; recordTokens: number; outputTokens: number; keepsakeCharacters: number }

export function roomFor(window: number): Room {
  const tokens = window || UNKNOWN_WINDOW
  const outputTokens = Math.max(LEAST_OUTPUT, Math.min(MOST_OUTPUT, Math.floor(tokens * OUTPUT_SHARE)))
  return {
    keepTokens: Math.floor(tokens * KEPT_SHARE),
    recordTokens: Math.floor(tokens * RECORD_SHARE),
    outputTokens,
    keepsakeCharacters: outputTokens * CHARACTERS_PER_TOKEN,
  }
}
