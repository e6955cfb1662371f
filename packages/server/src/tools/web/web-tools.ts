import type { Egress } from '../../egress/egress.ts'
import type { ToolDefinition } from '../define-tool.ts'
import type { SearchOptions } from './search-options.ts'
import { webFetch } from './web-fetch.ts'
import { webSearch } from './web-search.ts'

export type WebToolsOptions = { egress: Egress; search?: SearchOptions; hosts?: 'named' | 'any' }

/** The tools that look into the web. WebSearch is among them only where a search engine is configured. */
export function webTools({ egress, search, hosts }: WebToolsOptions): ToolDefinition[] {
  const searching = webSearch(search, { egress })
  const fetching = webFetch({ egress, ...(hosts && { hosts }) })
  return searching ? [searching, fetching] : [fetching]
}
