import type { Suggestions } from '@parley/protocol/rest'
import type { TurnProjection } from '@parley/protocol'
import type { Clock, Ids, Model } from '../ports.ts'
import type { Engine } from '../store/engine.ts'
import { readSuggestions } from './read-suggestions.ts'
import { claimSuggestions, giveUpClaim, keepSuggestions, standingOf } from './suggestion-rows.ts'
import { suggestionRequest } from './suggestion-request.ts'

export type SuggestOptions = {
  engine: Engine
  clock: Clock
  ids: Ids
  /** The one that answers in a session; a session that names none, or one that is gone, has the default. */
  modelOf: (id: string | null) => Model
  /** Told once for each answer that nothing could be suggested after. */
  onFailure: (reason: string, where: { session_id: string; turn_id: string }) => void
}

/** How long the model may take. */
const PATIENCE_MS = 15_000
/** How often one that waits for another's suggestions looks. */
const LOOK_MS = 250
const MAX_ANSWER = 4_000

const NOTHING: Suggestions = { turn_id: null, suggestions: [] }

/**
 * What the user might ask next. Made once for each answer, with one model call at a time on all instances; who comes
 * meanwhile waits for its result. Never rejects over the model: nothing to suggest is an empty list.
 */
export async function suggest(
  session: { id: string; model: string | null },
  signal: AbortSignal,
  options: SuggestOptions,
): Promise<Suggestions> {
  const { engine, clock, ids } = options
  const claim = ids.next('claim')
  while (!signal.aborted) {
    const standing = await engine.read(() => standingOf(session.id))
    if (standing.type === 'nothing') return NOTHING
    const { turn_id } = standing
    if (standing.type === 'made') return { turn_id, suggestions: standing.suggestions }
    const claimed = { session_id: session.id, turn_id, claim }
    // Longer than the call may take: a claim that runs out is one whose server is gone.
    if (await engine.write(() => claimSuggestions(claimed, PATIENCE_MS * 2)))
      return {
        turn_id,
        suggestions: await make({ ...claimed, turns: standing.turns, model: session.model }, signal, options),
      }
    await clock.sleep(LOOK_MS, signal)
  }
  return NOTHING
}

type Job = {
  session_id: string
  turn_id: string
  claim: string
  turns: readonly TurnProjection[]
  model: string | null
}

async function make(
  { turns, model, ...claimed }: Job,
  signal: AbortSignal,
  { engine, modelOf, onFailure }: SuggestOptions,
): Promise<string[]> {
  const tooLate = AbortSignal.timeout(PATIENCE_MS)
  let answer: Answer
  try {
    answer = await askModel(modelOf(model), turns, AbortSignal.any([signal, tooLate]))
  } catch (error) {
    answer = { text: '', failure: String(error) }
  }
  if (signal.aborted) {
    await engine.write(() => giveUpClaim(claimed))
    return []
  }
  const { text, failure = tooLate.aborted ? `no answer within ${PATIENCE_MS} ms` : undefined } = answer
  const suggestions = failure === undefined ? readSuggestions(text) : []
  if (failure !== undefined) onFailure(failure, { session_id: claimed.session_id, turn_id: claimed.turn_id })
  await engine.write(() => keepSuggestions(claimed, suggestions))
  return suggestions
}

type Answer = { text: string; failure?: string }

async function askModel(model: Model, turns: readonly TurnProjection[], signal: AbortSignal): Promise<Answer> {
  let text = ''
  for await (const event of model.stream(suggestionRequest(turns, signal))) {
    if (event.type === 'failed') return { text, failure: event.failure.message }
    if (event.type === 'text') text += event.delta
    // Leaving the loop closes the connection.
    if (text.length > MAX_ANSWER) return { text }
  }
  return { text }
}
