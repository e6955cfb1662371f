import type { WebSearchQuery, WebSearchResult } from '../model/web-search.ts'
import { asObject, asText, type JsonObject, parseJson } from '../stream/parse-json.ts'

const SEARCH_TOOL = /search|sousuo|搜索|bing|google|tavily|web_?browse/i
const MAX_DEPTH = 4

/** A web search, if the tool's name and its output look like one. Platforms have no common shape for it. */
export function recogniseSearch(toolName: string, input: unknown, output: unknown): WebSearchQuery | undefined {
  if (!SEARCH_TOOL.test(toolName)) return undefined
  const hits = findHits(output, MAX_DEPTH)
  return hits && { input: queryOf(input), results: hits.map(toResult) }
}

function findHits(value: unknown, depth: number): JsonObject[] | undefined {
  const data = typeof value === 'string' ? parseJson(value) : value
  if (typeof data !== 'object' || data === null || depth < 0) return undefined
  if (Array.isArray(data) && isHit(data[0])) return data.map(asObject)
  for (const part of Object.values(data)) {
    const found = findHits(part, depth - 1)
    if (found) return found
  }
  return undefined
}

function isHit(value: unknown): boolean {
  const hit = asObject(value)
  return first(hit, LINK) !== '' && first(hit, TITLE) !== ''
}

const TITLE = ['title', 'name']
const LINK = ['link', 'url', 'href']
const CONTENT = ['content', 'summary', 'snippet', 'description', 'text', 'body']
const MEDIA = ['media', 'media_name', 'site_name', 'sitename', 'source']
const ICON = ['icon', 'favicon', 'logo', 'logo_url', 'site_icon']
const QUERY = ['input', 'query', 'q', 'input_query', 'keyword', 'search_query']

function toResult(hit: JsonObject): WebSearchResult {
  const link = first(hit, LINK)
  return {
    title: first(hit, TITLE),
    link,
    content: first(hit, CONTENT),
    media: first(hit, MEDIA) || hostOf(link),
    icon: first(hit, ICON),
  }
}

function first(object: JsonObject, names: readonly string[]): string {
  return names.map((name) => asText(object[name])).find((text) => text !== '') ?? ''
}

function hostOf(link: string): string {
  return URL.canParse(link) ? new URL(link).host : ''
}

function queryOf(input: unknown): string {
  const data = typeof input === 'string' ? (parseJson(input) ?? input) : input
  const named = first(asObject(data), QUERY)
  if (named) return named
  return typeof data === 'string' ? data : (JSON.stringify(data) ?? '')
}
