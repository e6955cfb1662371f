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
