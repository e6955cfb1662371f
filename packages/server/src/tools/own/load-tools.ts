import { isTool, type OwnTool } from '@parley/tools'
import { pathToFileURL } from 'node:url'
import { placeOfError } from './place-of-error.ts'
import type { ListedTools, ToolProblem, ToolSpec } from './tool-files.ts'
import { isSpec } from './tool-spec.ts'

/** The tools that a file exports. Throws whatever importing it throws. */
export async function toolsIn(file: string): Promise<OwnTool[]> {
  const { default: main, ...named } = (await import(pathToFileURL(file).href)) as Record<string, unknown>
  const exported = [...Object.values(named), main, ...listOf((main as { tools?: unknown } | null | undefined)?.tools)]
  return [...new Set(exported.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [value])))].filter(
    isTool,
  )
}

/** All of them, and what is wrong, file by file. `onImport` hears of each file before it can do anything. */
export async function listTools(files: readonly string[], onImport: (file: string) => void): Promise<ListedTools> {
  const tools: ToolSpec[] = []
  const problems: ToolProblem[] = []
  for (const file of files) {
    onImport(file)
    try {
      const found = await toolsIn(file)
      if (found.length === 0) problems.push({ file, message: 'It exports no tool made by defineTool.' })
      for (const { parse: _parse, run: _run, ...tool } of found) {
        const other = tools.find(({ name }) => name === tool.name)
        if (!isSpec({ ...tool, file }))
          problems.push({ file, message: 'It exports a tool that defineTool did not make.' })
        else if (other) problems.push({ file, message: `${other.file} has a tool named ${tool.name} too; rename one.` })
        else tools.push({ ...tool, file })
      }
    } catch (error) {
      problems.push(placeOfError(error, file))
    }
  }
  return { tools, problems }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
