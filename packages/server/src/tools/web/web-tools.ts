import type { Egress } from '../../egress/egress.ts'
import type { ToolDefinition } from '../define-tool.ts'
import type { SearchOptions } from './search-options.ts'
import { webFetch } from './web-fetch.ts'
import { webSearch } from './web-search.ts'

/** The tools that look into the web. WebSearch is among them only where a search engine is configured. */
export function webTools({ egress, search }: { egress: Egress; search?: SearchOptions | undefined }): ToolDefinition[] {
  const searching = webSearch(search, { egress })
  return searching ? [searching, webFetch({ egress })] : [webFetch({ egress })]
}
