import { z } from 'zod'
import { ask, type EngineOptions, MAX_RESULTS, type SearchEngine, searchResult } from './search-engine.ts'

const answerSchema = z.object({
  // Absent when nothing was found.
  web: z
    .object({
      results: z.array(
        z.object({
          url: z.string().nullish(),
          title: z.string().nullish(),
          description: z.string().nullish(),
          profile: z.object({ name: z.string().nullish(), img: z.string().nullish() }).nullish(),
          meta_url: z.object({ hostname: z.string().nullish(), favicon: z.string().nullish() }).nullish(),
        }),
      ),
    })
    .nullish(),
  type: z.literal('search'),
})

/** Brave's web search API, or one that speaks like it at `url`. */
export function brave({
  url,
  key,
  ...options
}: EngineOptions & { url?: string | undefined; key: string }): SearchEngine {
  return {
    async search(query, signal) {
      const address = new URL(`${(url ?? 'https://api.search.brave.com').replace(/\/$/, '')}/res/v1/web/search`)
      address.search = new URLSearchParams({
        q: query,
        count: String(MAX_RESULTS),
        text_decorations: 'false',
      }).toString()
      const headers = { accept: 'application/json', 'x-subscription-token': key }
      const { web } = await ask(address, answerSchema, { ...options, engine: 'Brave', headers, signal, hints: HINTS })
      return (web?.results ?? [])
        .map(({ url: link, title, description, profile, meta_url }) =>
          searchResult({
            link,
            title: withoutMarkup(title),
            content: withoutMarkup(description),
            media: profile?.name ?? meta_url?.hostname,
            icon: meta_url?.favicon ?? profile?.img,
          }),
        )
        .filter((result) => result !== undefined)
        .slice(0, MAX_RESULTS)
    },
  }
}

/** It answers a wrong key like any other wrong parameter. */
const HINTS = { 422: 'The operator of this server should check `search.key`.' }

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#x27': "'",
  nbsp: ' ',
}

/** Titles and descriptions come as HTML: entities always, and emphasis whatever was asked. */
function withoutMarkup(html: string | null | undefined): string {
  return (html ?? '')
    .replace(/<\/?[a-z][^>]*>/gi, '')
    .replace(/&(#?\w+);/g, (entity, name: string) => ENTITIES[name.toLowerCase()] ?? entity)
}
