import type { ToolDefinition } from '../define-tool.ts'
import { edit } from './edit.ts'
import { glob } from './glob.ts'
import { grep } from './grep.ts'
import { read } from './read.ts'
import { write } from './write.ts'

/** Everything that works on the files of a workspace, in the order models get it. */
export const fileTools: readonly ToolDefinition[] = [read, write, edit, glob, grep]
