import { riskSchema } from '@parley/protocol/schemas'
import { z } from 'zod'
import type { JsonObject, Risk } from '../../ports.ts'

/** Of an entry of the list, what is told here; foreign tools may lack some of it. */
type Entry = {
  name: string
  description: string
  provider: string
  risk: Risk
  requires_confirmation: boolean
  input: JsonObject
}

/** [S14] */
export const agentToolSchema = z.object({
  name: z.string(),
  description: z.string(),
  parameters: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      description: z.string(),
      required: z.boolean(),
      enum: z.array(z.string()).optional(),
      default: z.unknown().optional(),
    }),
  ),
  riskLevel: riskSchema,
  requiresConfirmation: z.boolean(),
  plugin: z.string(),
})

export function agentTool(listed: object) {
  const entry = listed as Partial<Entry>
  const { name = '', description = '', provider = '', risk = 'medium', requires_confirmation = false, input } = entry
  return {
    name,
    description,
    parameters: parametersOf(input ?? {}),
    riskLevel: risk,
    requiresConfirmation: requires_confirmation || risk === 'high',
    plugin: provider,
  }
}

const TYPES = new Set(['string', 'number', 'boolean', 'object', 'array'])

function parametersOf({ properties, required }: JsonObject) {
  const names = Array.isArray(required) ? required : []
  return Object.entries((properties ?? {}) as Record<string, JsonObject>).map(([name, field]) => {
    const { type, description, enum: values, default: usual } = field
    return {
      name,
      type: type === 'integer' ? 'number' : typeof type === 'string' && TYPES.has(type) ? type : 'object',
      description: typeof description === 'string' ? description : '',
      required: names.includes(name),
      ...(Array.isArray(values) && { enum: values.map(String) }),
      ...(usual !== undefined && { default: usual }),
    }
  })
}
