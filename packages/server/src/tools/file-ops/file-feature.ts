import type { Feature } from '../../feature.ts'
import { fileTools } from './file-tools.ts'
import { Searches, type SearchesOptions } from './searches.ts'

export function fileFeature(options: SearchesOptions): Feature {
  const searches = new Searches(options)
  return { name: 'files', tools: fileTools(searches), close: () => searches[Symbol.asyncDispose]() }
}
