import type { ToolDefinition } from '../define-tool.ts'
import { edit } from './edit.ts'
import { glob } from './glob.ts'
import { grep } from './grep.ts'
import { read } from './read.ts'
import type { Searches } from './searches.ts'
import { write } from './write.ts'

/** Everything that works on the files of a workspace, in the order models get it. */
export function fileTools(searches: Searches): ToolDefinition[] {
  return [read, write, edit, glob(searches), grep(searches)]
}
