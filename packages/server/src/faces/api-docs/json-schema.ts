import * as known from '@parley/protocol/schemas'
import { z } from 'zod'

export type JsonSchema = Record<string, unknown>

/** Records that many answers have in common, by the names that the wire protocol gives them. */
const NAMED: Record<string, z.ZodType> = {
  Session: known.sessionSchema,
  SessionDetail: known.sessionDetailSchema,
  TurnProjection: known.turnProjectionSchema,
  ContentBlock: known.contentBlockSchema,
  ToolCallProjection: known.toolCallProjectionSchema,
  PendingQuestion: known.pendingQuestionSchema,
  Confirmation: known.confirmationSchema,
  Usage: known.usageSchema,
  Task: known.taskSchema,
  SkillSummary: known.skillSummarySchema,
  Checkpoint: known.checkpointSchema,
  Feedback: known.feedbackSchema,
  Memory: known.memorySchema,
  ApiKey: known.apiKeySchema,
  VisitorToken: known.visitorTokenSchema,
  Share: known.shareSchema,
  Agent: known.agentSchema,
  Document: known.documentEntrySchema,
  ErrorBody: known.errorBodySchema,
}

const REFERENCE = '#/components/schemas/'

/** Turns schemas into JSON schemas, and gathers the named records that answers speak of. */
export class JsonSchemas {
  readonly #names = z.registry<{ id: string }>()
  readonly #parts: Record<string, JsonSchema> = {}
  readonly #made = { input: new Map<z.ZodType, JsonSchema>(), output: new Map<z.ZodType, JsonSchema>() }

  constructor() {
    for (const [id, schema] of Object.entries(NAMED)) this.#names.add(schema, { id })
  }

  /** What may be sent: fields with a default can be left out; only where `additionalProperties` is false others are refused. */
  input(schema: z.ZodType): JsonSchema {
    return this.#once('input', schema, () => this.#input(schema))
  }

  /** What is answered. More fields than these may come, some day everywhere: who reads must not mind. */
  output(schema: z.ZodType): JsonSchema {
    return this.#once('output', schema, () => this.#output(schema))
  }

  /** By their names. */
  get parts(): Record<string, JsonSchema> {
    return Object.fromEntries(Object.entries(this.#parts).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  #once(io: 'input' | 'output', schema: z.ZodType, make: () => JsonSchema): JsonSchema {
    const made = this.#made[io].get(schema) ?? make()
    this.#made[io].set(schema, made)
    return made
  }

  #input(schema: z.ZodType): JsonSchema {
    const made = z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
      metadata: z.registry(),
      override: ({ zodSchema, jsonSchema }) => {
        tidy(zodSchema, jsonSchema)
        if (isSwitch(zodSchema)) Object.assign(jsonSchema, { enum: ['true', 'false'] })
        const read = readFrom(zodSchema)
        if (read) Object.assign(jsonSchema, this.input(read))
      },
    })
    return plain(made)
  }

  #output(schema: z.ZodType): JsonSchema {
    const made = z.toJSONSchema(schema, {
      io: 'output',
      unrepresentable: 'any',
      metadata: this.#names,
      override: ({ zodSchema, jsonSchema }) => {
        tidy(zodSchema, jsonSchema)
        delete jsonSchema.default
        if (zodSchema._zod.def.type === 'object') delete jsonSchema.additionalProperties
      },
    })
    const { $defs = {}, ...whole } = pointing(made) as JsonSchema & { $defs?: Record<string, JsonSchema> }
    for (const [name, part] of Object.entries($defs)) this.#parts[name] ??= plain(part)
    const { id, ...shape } = plain(whole)
    if (typeof id !== 'string') return shape
    this.#parts[id] ??= shape
    return { $ref: REFERENCE + id }
  }
}

/** Says what it is in words, where somebody wrote them, and nothing that says nothing. */
function tidy(schema: z.core.$ZodType, made: z.core.JSONSchema.BaseSchema): void {
  const description = z.globalRegistry.get(schema)?.description
  if (description !== undefined) made.description = description
  if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum
  if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum
  if (made.format === 'date-time') delete made.pattern
}

/** `z.stringbool`: what is written as a text, and means yes or no. */
function isSwitch({ _zod: { def } }: z.core.$ZodType): boolean {
  const { type, in: before, out } = def as z.core.$ZodPipeDef
  return type === 'pipe' && before._zod.def.type === 'string' && out._zod.def.type === 'boolean'
}

/** What is made of a value before it is read (`z.preprocess`) says nothing of it; what reads it then does. */
function readFrom({ _zod: { def } }: z.core.$ZodType): z.ZodType | undefined {
  const { type, in: before, out } = def as z.core.$ZodPipeDef
  return type === 'pipe' && before._zod.def.type === 'transform' ? (out as z.ZodType) : undefined
}

/** References within one schema lead into the document that it becomes a part of. */
function pointing(schema: object): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', `"$ref":"${REFERENCE}`))
}

function plain({ $schema: _schema, '~standard': _standard, ...schema }: JsonSchema): JsonSchema {
  return schema
}
