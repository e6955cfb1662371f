/**
 * What a client may ask over the socket, and what it is told. Unknown fields are ignored by name; in a `strictObject`,
 * which is a payload of our own, they are refused.
 */
import { z } from 'zod'
import type { CommandName } from './command-names.ts'
import { modeSchema } from './block.ts'
import { branchSchema } from './branch.ts'
import { environmentSchema } from './environment.ts'
import { messageContentSchema } from './message.ts'
import { columnText, openObject, orNull } from './open-schema.ts'
import { patchModeSchema } from './patch.ts'
import { askUserAnswerSchema } from './question.ts'
import { sessionSchema } from './session.ts'
import type { AuthExpiry, AuthRenewPayload } from './visitor-token.ts'

const session_id = z.string().min(1)

/** Repeats of one id in one session start nothing and return the first acknowledgement. */
export const clientMessageIdSchema = columnText.min(1).max(128)

/** `auth` of the handshake. */
export const handshakeSchema = z.object({
  token: orNull(z.string()),
  patch_mode: orNull(patchModeSchema),
  /** Of what the server itself says, e.g. `zh-CN`; one it does not speak counts as none. */
  language: orNull(z.string().max(100)),
  client: orNull(z.object({ name: z.string(), version: z.string() })),
})
export type Handshake = z.input<typeof handshakeSchema>

export const subscribeSchema = z.object({
  session_id,
  patch_mode: orNull(patchModeSchema),
  /** Last `event_seq` the client has; asks for replay. */
  since: orNull(z.int().min(0)),
  /** Catch up even if already subscribed. */
  resync: orNull(z.boolean()),
})
export type SubscribePayload = z.input<typeof subscribeSchema>

export const unsubscribeSchema = z.object({ session_id })

/** Goes on from an earlier place, on a branch of its own: after so many steps, or before a message. */
export const whatIfSchema = z.object({
  /** So many turns of the main agent and its user are kept. */
  from_step: orNull(z.int().min(0)),
  /** The user's message, on whatever branch, whose place this one takes. */
  before_turn_id: orNull(columnText.min(1)),
  quotes: z
    .array(z.object({ entry_id: columnText, text: columnText.max(20_000) }))
    .max(50)
    .default([]),
  /** Kept turns that are left out of the new branch. */
  deprecate_entry_ids: z.array(columnText).max(1_000).default([]),
})
export type WhatIf = z.output<typeof whatIfSchema>

export const replayDecisionSchema = z.enum(['keep_replay', 'continue_replay'])

/** Refuses the plan that waits, with this message; a message in `executing` mode approves it. */
export const planDecisionSchema = orNull(z.enum(['reject']))

/** Field types only: whether the answer fits, the schema compiles and the message says something is checked later. */
export const chatSendSchema = z.object({
  session_id,
  message: messageContentSchema,
  /** null keeps the session's mode. */
  mode: orNull(modeSchema),
  askuser_answer: orNull(askUserAnswerSchema),
  model: orNull(z.string()),
  headless: z.boolean().default(false),
  output_schema: orNull(z.record(z.string(), z.unknown())),
  whatif: orNull(whatIfSchema),
  replay_decision: orNull(replayDecisionSchema),
  plan_decision: planDecisionSchema,
  /** Of this run alone. */
  runtime_env: orNull(environmentSchema),
  client_message_id: orNull(clientMessageIdSchema),
  /** Nothing is looked up in the knowledge for this message. */
  skip_knowledge: z.boolean().default(false),
})
/** As a client writes it. */
export type ChatSendPayload = z.input<typeof chatSendSchema>
/** As the server reads it: every field present. */
export type ChatSend = z.output<typeof chatSendSchema>

/** With `run_id`, stops that run only. */
export const chatStopSchema = z.object({ session_id, run_id: orNull(z.string()) })
export type ChatStopPayload = z.input<typeof chatStopSchema>

export const chatCompactSchema = z.object({ session_id })
export type ChatCompactPayload = z.input<typeof chatCompactSchema>

export const chatAppendSchema = z.strictObject({
  session_id,
  message: messageContentSchema,
  client_message_id: orNull(clientMessageIdSchema),
})
export type ChatAppendPayload = z.input<typeof chatAppendSchema>

/** The schema of every client event, by its name. */
export const commandSchemas = {
  'session:subscribe': subscribeSchema,
  'session:unsubscribe': unsubscribeSchema,
  'chat:send': chatSendSchema,
  'chat:stop': chatStopSchema,
  'chat:compact': chatCompactSchema,
  'chat:append': chatAppendSchema,
} satisfies Record<CommandName, z.ZodType>

export const ackErrorSchema = openObject({ status: z.literal('error'), code: z.string(), message: z.string() })
/** The request changed nothing. */
export type AckError = z.infer<typeof ackErrorSchema>

const ok = {
  status: z.literal('ok'),
  message: orNull(z.string()),
  code: orNull(z.string()),
  /** Fields of the request that nobody knows; absent when there are none. */
  ignored: z.array(z.string()).optional(),
}
export const ackOkSchema = openObject(ok)
/** The request was accepted and is durable. `message` is `not_running` when a `chat:stop` had nothing to stop. */
export type AckOk = z.infer<typeof ackOkSchema>

export const subscribeOkSchema = openObject({
  ...ok,
  session: sessionSchema,
  /** The active run. */
  run_id: orNull(z.string()),
  event_seq: z.int(),
  /** Whether `since` could be honoured. */
  replayed: z.boolean(),
  /** The one that is being talked on. */
  branch: branchSchema.optional(),
})
export type SubscribeOk = z.infer<typeof subscribeOkSchema>

export const chatSendOkSchema = openObject({
  ...ok,
  session_id: z.string(),
  run_id: z.string(),
  /** The run begins when the compaction that is under way is over. */
  queued: z.literal(true).optional(),
})
export type ChatSendOk = z.infer<typeof chatSendOkSchema>

/** What each command is acknowledged with when it succeeds. */
export type CommandOk = {
  'session:subscribe': SubscribeOk
  'session:unsubscribe': AckOk
  'chat:send': ChatSendOk
  'chat:stop': AckOk
  'chat:compact': AckOk
  'chat:append': AckOk
}

/** The acknowledgement of a command. */
export type Ack<Name extends CommandName = CommandName> = CommandOk[Name] | AckError

/** Typed for `socket.io`; every command may be sent with or without a callback. */
export type ClientToServerEvents = {
  [Name in CommandName]: (payload: z.input<(typeof commandSchemas)[Name]>, ack?: (ack: Ack<Name>) => void) => void
} & {
  /** Of no session: goes on with a newer token of the same user. */
  'auth:renew': (payload: AuthRenewPayload, ack?: (ack: (AckOk & AuthExpiry) | AckError) => void) => void
}
