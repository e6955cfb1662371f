import { z } from 'zod'
import { ask, type EngineOptions, MAX_RESULTS, type SearchEngine, searchResult } from './search-engine.ts'

const answerSchema = z.object({
  results: z.array(
    z.object({
      url: z.string().nullish(),
      title: z.string().nullish(),
      content: z.string().nullish(),
    }),
  ),
})

/** A SearXNG instance. `key` is what a proxy in front of it wants: `user:password`, or a bearer token. */
export function searxng({
  url,
  key,
  ...options
}: EngineOptions & { url: string; key?: string | undefined }): SearchEngine {
  return {
    async search(query, signal) {
      // Below whatever path the instance is served at.
      const address = new URL('search', url.endsWith('/') ? url : `${url}/`)
      address.search = new URLSearchParams({ q: query, format: 'json' }).toString()
      const headers = { accept: 'application/json', ...(key ? { authorization: authorization(key) } : {}) }
      const { results } = await ask(address, answerSchema, {
        ...options,
        engine: 'SearXNG',
        headers,
        signal,
        hints: HINTS,
      })
      return results
        .map(({ url: link, title, content }) => searchResult({ link, title, content }))
        .filter((result) => result !== undefined)
        .slice(0, MAX_RESULTS)
    },
  }
}

const HINTS = {
  403: 'The operator of this server should add `json` to `search.formats` in the settings of SearXNG.',
}

function authorization(key: string): string {
  return key.includes(':') ? `Basic ${Buffer.from(key).toString('base64')}` : `Bearer ${key}`
}
