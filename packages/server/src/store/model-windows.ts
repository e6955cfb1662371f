import type { Engine } from './engine.ts'
import { runSql, type Work } from './work.ts'

/** How long an instance goes by what it has read. */
const FRESH_MS = 60_000

/** Context windows that nobody configured, learned from what providers said when a call did not fit. */
export class ModelWindows {
  readonly #engine: Engine
  readonly #known = new Map<string, { tokens: number; readAt: number }>()

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** The smaller of what is `configured` and what was learned; 0 when neither is known. */
  async of(model: string, configured: number): Promise<number> {
    return smaller(await this.#learned(model), configured)
  }

  /** As far as it was read here; for those who cannot wait. */
  known(model: string, configured: number): number {
    return smaller(this.#known.get(model)?.tokens ?? 0, configured)
  }

  /** For every instance, and for good; the last word counts. */
  async learn(model: string, tokens: number): Promise<void> {
    await this.#engine.write(() => learnWindow(model, tokens))
    this.#known.set(model, { tokens, readAt: this.#engine.timers.elapsed() })
  }

  async #learned(model: string): Promise<number> {
    const now = this.#engine.timers.elapsed()
    const known = this.#known.get(model)
    if (known && now - known.readAt < FRESH_MS) return known.tokens
    const tokens = await this.#engine.read(() => readWindow(model))
    this.#known.set(model, { tokens, readAt: now })
    return tokens
  }
}

/** 0: nobody knows. */
function smaller(learned: number, configured: number): number {
  return learned === 0 || configured === 0 ? learned || configured : Math.min(learned, configured)
}

function* learnWindow(model: string, tokens: number): Work<void> {
  yield* runSql(
    `INSERT INTO model_windows (model, context_window, learned_at) VALUES (?, ?, now_ms())
      ON CONFLICT (model) DO UPDATE SET context_window = excluded.context_window, learned_at = excluded.learned_at`,
    [model, tokens],
  )
}

function* readWindow(model: string): Work<number> {
  const [row] = yield* runSql<{ context_window: number }>('SELECT context_window FROM model_windows WHERE model = ?', [
    model,
  ])
  return row?.context_window ?? 0
}
