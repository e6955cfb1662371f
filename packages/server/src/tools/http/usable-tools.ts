import type { Egress } from '../../egress/egress.ts'
import type { EgressError } from '../../egress/egress-error.ts'
import { checkSchema } from '../../foreign/check-schema.ts'
import { type HttpTool, type HttpToolOptions, type KeyedTool, withDefaults } from './config.ts'

/** The tools of the configuration. Throws when one of them is none: its address or its schema is of no use. */
export async function configuredTools(options: readonly HttpToolOptions[], egress: Egress): Promise<KeyedTool[]> {
  const tools: KeyedTool[] = []
  for (const { secret, ...written } of options) {
    const tool: KeyedTool = { ...withDefaults(written), secret, trust: 'configured' }
    const problem = await problemOf(tool, () => egress.check(tool.url, tool.trust))
    if (problem !== undefined) throw new Error(`${tool.name}: ${problem}`)
    if (tools.some(({ name }) => name === tool.name)) throw new Error(`two are named ${tool.name}; rename one of them.`)
    tools.push(tool)
  }
  return tools
}

/** What keeps it from being a tool, in one sentence. */
export async function problemOf({ schema }: HttpTool, checkAddress: () => void): Promise<string | undefined> {
  try {
    checkAddress()
  } catch (error) {
    const { message, option } = error as EgressError
    return `url: ${message}${option === undefined ? '' : ` Whoever runs this server may change that with \`${option}\` in the configuration.`}`
  }
  const found = await checkSchema(schema)
  if ('problems' in found) return undefined
  return `schema: ${'invalid' in found ? found.invalid : found.undecided}`
}
