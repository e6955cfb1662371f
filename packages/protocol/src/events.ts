/** What is journaled is what is sent: an event's name, and its payload exactly as it goes over the wire. */
import { sourceSchema } from './source.ts'
import { z } from 'zod'
import { artifactSchema } from './artifact.ts'
import { backgroundTaskSchema } from './background-task.ts'
import { modeSchema } from './block.ts'
import { branchSchema } from './branch.ts'
import type { EventName } from './event-names.ts'
import { feedbackGiven } from './feedback.ts'
import type { AccountChanged } from './inbox.ts'
import { memoryRefSchema } from './memory.ts'
import { openObject, orNull } from './open-schema.ts'
import { patchEnvelopeSchema } from './patch.ts'
import { pendingQuestionSchema } from './question.ts'
import { replayStateSchema, sessionStatusSchema } from './session.ts'
import { skillSummarySchema } from './skill.ts'
import { taskSchema } from './task.ts'
import { turnProjectionSchema } from './turn.ts'
import { usageSchema } from './usage.ts'
import type { AuthExpiry } from './visitor-token.ts'

/** On every session event. `event_seq` grows by at least 1 and survives restarts; 0 when a server does not send it. */
const session = { session_id: z.string(), event_seq: z.int().default(0) }

export const chatStartSchema = openObject({
  ...session,
  run_id: orNull(z.string()),
  /** Present and true only in catch-up. */
  replayed: z.boolean().optional(),
})
export type ChatStartPayload = z.infer<typeof chatStartSchema>

const turnEnvelope = {
  ...session,
  replayed: z.boolean().optional(),
  solution_id: orNull(z.string()),
  template_id: orNull(z.string()),
}
/** What stands around the turn; `turnOf` takes it off again. */
export type TurnEnvelope = typeof turnEnvelope
/** Payload of `turn:start` and `turn:end`: the whole projection, flat, inside a thin envelope. */
export const turnEventSchema = openObject({ ...turnProjectionSchema.shape, ...turnEnvelope })
export type TurnProjectionPayload = z.infer<typeof turnEventSchema>

export const chatEndSchema = openObject({
  ...session,
  status: z.enum(['completed', 'interrupted', 'failed']),
  /** Only with `headless` or `output_schema`, and only when the run completed. */
  result: orNull(openObject({ output: z.unknown(), schema: z.record(z.string(), z.unknown()).optional() })),
  finish_reason: orNull(z.enum(['completed', 'max_turns', 'tool_error'])),
  run_id: orNull(z.string()),
  /** Tells a pause (`waiting_for_input`) from a real end. */
  session_status: sessionStatusSchema.optional(),
  pause_tool: orNull(z.string()),
  /** The oldest waiting question. */
  pause_tool_data: orNull(pendingQuestionSchema),
  error: orNull(openObject({ code: z.string(), message: z.string().optional() })),
  usage: orNull(usageSchema),
  /** The last answer reached a limit of its length: the provider's, or ours. What was said is kept, its calls were not run. */
  cut: z.enum(['length']).optional(),
  /** Of an interrupted run that nobody has stopped: it took longer than it may. */
  stopped_by: z.enum(['timeout']).optional(),
})
export type ChatEndPayload = z.infer<typeof chatEndSchema>

/** Only what may have changed is present. */
export const sessionUpdatedSchema = openObject({
  ...session,
  intent: z.string().nullish(),
  model: z.string().nullish(),
  replay_state: replayStateSchema.nullish(),
  status: sessionStatusSchema.optional(),
  mode: modeSchema.optional(),
  updated_at: z.string().optional(),
  /** The conversation goes on from another place: turns outside its path are deprecated. Read the messages again. */
  branch: branchSchema.optional(),
})
export type SessionUpdatedPayload = z.infer<typeof sessionUpdatedSchema>

/** `file_path` is workspace-relative; null means many. */
export const workspaceFilesChangedSchema = openObject({ ...session, file_path: orNull(z.string()) })
export type WorkspaceFilesChangedPayload = z.infer<typeof workspaceFilesChangedSchema>

/** Ends the exchange for every known client: sent for a bad request to its socket, or once when a run fails. */
export const systemErrorSchema = openObject({
  session_id: orNull(z.string()),
  event_seq: z.int().optional(),
  message: z.string(),
  code: z.union([z.string(), z.int()]),
  detail: z.unknown().optional(),
  run_id: z.string().nullish(),
})
export type SystemErrorPayload = z.infer<typeof systemErrorSchema>

export const systemNotificationSchema = openObject({
  session_id: orNull(z.string()),
  event_seq: z.int().optional(),
  notification_type: z.string(),
  title: z.string(),
  detail: orNull(z.string()),
  status: z.enum(['error', 'warning', 'info']),
})
export type SystemNotificationPayload = z.infer<typeof systemNotificationSchema>

/** The schema of every server event, by its name. */
export const eventSchemas = {
  'chat:start': chatStartSchema,
  'turn:start': turnEventSchema,
  'turn:patch': patchEnvelopeSchema,
  'turn:end': turnEventSchema,
  'chat:end': chatEndSchema,
  'session:updated': sessionUpdatedSchema,
  'workspace:files_changed': workspaceFilesChangedSchema,
  'system:error': systemErrorSchema,
  'system:notification': systemNotificationSchema,
  'memory:inject:done': openObject({ ...session, turn_id: z.string(), memory_refs: z.array(memoryRefSchema) }),
  'task:updated': openObject({ ...session, tasks: z.array(taskSchema) }),
  'artifact:created': openObject({ ...session, artifact: artifactSchema }),
  'bg:started': openObject({ ...session, task: backgroundTaskSchema }),
  'bg:ended': openObject({ ...session, task: backgroundTaskSchema }),
  'skills:changed': openObject({ ...session, skills: z.array(skillSummarySchema) }),
  'replay:input_mismatch': openObject({
    ...session,
    expected: z.unknown(),
    actual: z.unknown(),
    options: z.array(z.string()),
  }),
  'session:deleted': openObject(session),
  'feedback:given': openObject({ ...session, ...feedbackGiven }),
  'knowledge:retrieved': openObject({ ...session, turn_id: z.string(), sources: z.array(sourceSchema) }),
} satisfies Record<EventName, z.ZodType>

/** What a socket receives under each name. `system:*` may lack a session when they answer one socket. */
export type EventPayload<Name extends EventName = EventName> = z.infer<(typeof eventSchemas)[Name]>

/** One entry of a session's journal. */
export type SessionEvent = {
  [Name in EventName]: { name: Name; payload: EventPayload<Name> & { session_id: string; event_seq: number } }
}[EventName]

/** An event before the journal has numbered it. */
export type NewSessionEvent = {
  [Name in EventName]: { name: Name; payload: Unnumbered<EventPayload<Name>> & { session_id: string } }
}[EventName]

type Unnumbered<Payload> = Payload extends unknown ? Omit<Payload, 'event_seq'> : never

/** Typed for `socket.io`. */
export type ServerToClientEvents = { [Name in EventName]: (payload: EventPayload<Name>) => void } & {
  /** Of no session: until when this socket's credential is good. Only for credentials that end by themselves. */
  'auth:expires': (expiry: AuthExpiry) => void
  /** Of no session: something of this user's is not what it was. A hint that carries no truth: read again. */
  'account:changed': (changed: AccountChanged) => void
}
