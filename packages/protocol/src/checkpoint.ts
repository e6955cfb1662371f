import { z } from 'zod'
import { columnText, openObject, orNull } from './open-schema.ts'
import { turnProjectionSchema } from './turn.ts'

/** The moment before a user's message, on whatever branch it was sent. */
export const checkpointSchema = openObject({
  checkpoint_id: z.string(),
  turn_id: z.string(),
  sequence: z.int(),
  /** How the message begins. */
  label: z.string(),
  created_at: orNull(z.string()),
  branch_id: z.string(),
  /** On the branch that is being talked on. */
  active: z.boolean(),
  /** The turn before it, on its branch: messages with the same one are versions of each other. */
  parent_turn_id: orNull(z.string()),
})
export type Checkpoint = z.infer<typeof checkpointSchema>

const checkpoint_id = columnText.min(1)

/** Body of `POST /api/sessions/{session_id}/rewind`. */
export const rewindSchema = z.object({
  checkpoint_id,
  /** What goes back. */
  restore: z.enum(['both', 'conversation', 'files']).default('both'),
})
export type Rewind = z.input<typeof rewindSchema>

export const rewoundSchema = openObject({
  session_id: z.string(),
  checkpoint_id: z.string(),
  removed_turns: z.int(),
  /** The branch that is being talked on now. */
  branch_id: z.string(),
  files_restored: z.boolean(),
  /** Why they were not. */
  files_problem: z.string().optional(),
})
export type Rewound = z.infer<typeof rewoundSchema>

/** Body of `POST /api/sessions/{session_id}/checkout`. */
export const checkoutSchema = z.object({ checkpoint_id, position: z.enum(['before', 'turn_end']).default('before') })
export type Checkout = z.input<typeof checkoutSchema>

export const checkedOutSchema = openObject({
  checkpoint_id: z.string(),
  position: z.enum(['before', 'turn_end']),
  turns: z.array(turnProjectionSchema),
})
export type CheckedOut = z.infer<typeof checkedOutSchema>

/** Body of `POST /api/sessions/{session_id}/switch-branch`: any checkpoint of the branch. */
export const switchBranchSchema = z.object({
  checkpoint_id,
  /** Files as they were when the branch was left, where that was kept. */
  restore: z.enum(['both', 'conversation']).default('both'),
})
export type SwitchBranch = z.input<typeof switchBranchSchema>

export const switchedBranchSchema = openObject({
  session_id: z.string(),
  branch_id: z.string(),
  turns: z.int(),
  files_restored: z.boolean().optional(),
  files_problem: z.string().optional(),
})
export type SwitchedBranch = z.infer<typeof switchedBranchSchema>
