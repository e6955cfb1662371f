import { isTool } from '@parley/tools'
import { isReservedName } from '../rules-about-tools.ts'

/** What is wrong with the tools of the configuration, each with its place; `others`: names that are taken. */
export function ownProblems(tools: readonly unknown[], others: readonly string[]): string[] {
  const taken = new Set(others)
  return tools.flatMap((tool, at) => {
    const problem = isTool(tool) ? nameProblem(tool.name, taken) : 'not made by defineTool'
    if (isTool(tool)) taken.add(tool.name)
    return problem === undefined ? [] : [`tools.${at}: ${problem}`]
  })
}

/** What is wrong with the name of a tool that somebody brings along. A built-in tool's is not: it takes that one's place. */
export function nameProblem(name: string, taken: ReadonlySet<string>): string | undefined {
  if (isReservedName(name)) return `the server needs the name ${name} for itself`
  return taken.has(name) ? `there is another tool named ${name}` : undefined
}
