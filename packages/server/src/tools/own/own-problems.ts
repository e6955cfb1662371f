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

/** What is wrong with the name of a tool that somebody brings along, beside that a built-in tool has it. */
export function nameProblem(name: string, taken: ReadonlySet<string>): string | undefined {
  if (isReservedName(name)) return `the server needs the name ${name} for itself`
  return taken.has(name) ? `there is another tool named ${name}` : undefined
}

/** An own tool of the configuration takes no built-in one's place: what people allowed, and know by that name, is another. */
export function builtInProblem(name: string): string {
  return (
    `${name} is the name of a built-in tool; choose another name. ` +
    `Where the built-in one shall not run, say so in policy.rules: { tool: '${name}', decision: 'deny' }.`
  )
}
