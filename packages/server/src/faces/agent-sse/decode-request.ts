import { AgentError } from '@parley/protocol'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { readBody } from '../../http/ignored-fields.ts'
import { withinReach } from './within-reach.ts'

/** [S2.0.1] */
export const idSchema = z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/, 'An id has 1 to 128 of A-Z a-z 0-9 _ . : -')

const MAX_MESSAGE = 32_768
/** [S11.5] */
const MAX_MESSAGE_IN_URL = 2_000

const message = z.string().transform((text) => text.trim().toWellFormed())
const confirm = z.object({ confirmationId: z.string().min(1).max(128), approved: z.boolean() })

/** Arguments of a call: nobody goes through their names. */
const givenSchema = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'Must be an object',
)

/** [S2] An earlier message, as far as it is imported. */
const historySchema = z.object({
  id: z.string().optional(),
  role: z.string(),
  content: z.string(),
  timestamp: z.string().optional(),
  responseType: z.string().optional(),
  toolCalls: z
    .array(
      z.object({
        toolName: z.string().min(1).max(256),
        arguments: givenSchema,
        result: z.object({ success: z.boolean(), content: z.string(), data: z.unknown().optional() }).optional(),
      }),
    )
    .optional(),
})

export type EarlierEntry = z.output<typeof historySchema>

/** [S2] What is not here is ignored, and named to whoever sent it. */
export const chatRequestSchema = z.object({
  message: message.pipe(z.string().max(MAX_MESSAGE)),
  sessionId: idSchema.optional(),
  messageId: idSchema.optional(),
  /** [S2.0.3] The beginning of a session that has none; else the store wins. */
  history: z.array(historySchema).optional(),
  /** [S2.0.4] Says which confirmation the message answers. Compared with what is stored, and never believed. */
  pendingConfirmation: z
    .object({
      toolName: z.string(),
      arguments: givenSchema,
      userMessage: z.string().optional(),
      timestamp: z.string().optional(),
      confirmationId: z.string().optional(),
      toolCallId: z.string().optional(),
      expiresAt: z.string().optional(),
    })
    .optional(),
  confirm: confirm.optional(),
  /** Nothing is looked up in the knowledge for this message. */
  skipKnowledge: z.boolean().optional(),
})

export type ChatRequest = z.output<typeof chatRequestSchema>

/** [S11] What an EventSource can ask for. */
export const streamQuerySchema = z.object({
  sessionId: idSchema.optional(),
  messageId: idSchema.optional(),
  message: message.pipe(z.string().max(MAX_MESSAGE_IN_URL)).optional(),
  /** `<confirmationId>:<true|false>` */
  confirm: z
    .string()
    .regex(/^.{1,128}:(?:true|false)$/)
    .transform((text) => {
      const end = text.lastIndexOf(':')
      return { confirmationId: text.slice(0, end), approved: text.slice(end + 1) === 'true' }
    })
    .optional(),
  lastEventId: z.string().optional(),
  skipKnowledge: z.enum(['true', 'false']).optional(),
})

/** [S2] The body of a message. */
export function readChat(request: FastifyRequest): ChatRequest {
  request.body = withinReach(request.body)
  const body = readBody(request, chatRequestSchema)
  demandMessage(body)
  return body
}

/** An answer may be empty: it says no. */
export function demandMessage({ message, confirm, pendingConfirmation }: ChatRequest): void {
  if (message === '' && !confirm && !pendingConfirmation)
    throw new AgentError('invalid_payload', 'message: The message is empty.')
}
