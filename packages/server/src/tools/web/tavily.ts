import { z } from 'zod'
import { ask, type EngineOptions, MAX_RESULTS, type SearchEngine, searchResult } from './search-engine.ts'

const answerSchema = z.object({
  results: z.array(
    z.object({
      url: z.string().nullish(),
      title: z.string().nullish(),
      content: z.string().nullish(),
      favicon: z.string().nullish(),
    }),
  ),
})

/** Tavily's search API, or one that speaks like it at `url`. */
export function tavily({
  url,
  key,
  ...options
}: EngineOptions & { url?: string | undefined; key: string }): SearchEngine {
  return {
    async search(query, signal) {
      const { results } = await ask(
        new URL(`${(url ?? 'https://api.tavily.com').replace(/\/$/, '')}/search`),
        answerSchema,
        {
          ...options,
          engine: 'Tavily',
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ query, max_results: MAX_RESULTS, include_favicon: true }),
          signal,
          hints: HINTS,
        },
      )
      return results
        .map(({ url: link, title, content, favicon }) => searchResult({ link, title, content, icon: favicon }))
        .filter((result) => result !== undefined)
        .slice(0, MAX_RESULTS)
    },
  }
}

/** Numbers of its own. */
const HINTS = { 432: 'Its plan is used up.', 433: 'Its plan is used up.' }
