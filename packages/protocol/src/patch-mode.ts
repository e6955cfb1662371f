/**
 * Turns a journaled patch (increments only) into the form a subscription asked for. Pure: what has been attached so far
 * comes in and goes out as state, one per subscription and mode. Sizes are counted, not measured, because measuring a
 * growing text at every increment would cost the square of its length.
 */
import type { Extent } from './full-value.ts'
import { isFullValueDue, LARGE_TURN_BYTES, SNAPSHOT_INTERVAL_MS, utf8Bytes } from './full-value.ts'
import type { PatchEnvelope, PatchMode } from './patch.ts'
import type { TurnProjection } from './turn.ts'

/** What a subscription has been sent, by `turn_id`. Drop a turn with `endPatches` at its `turn:end`. */
export type PatchModeState = Readonly<Record<string, TurnMarks>>

type TurnMarks = {
  readonly turn: Extent
  /** When the turn last went out whole. */
  readonly sentAt: number | null
  /** Text blocks, by index. */
  readonly blocks: Readonly<Record<number, Extent>>
  /** A snapshot that was not due yet. */
  readonly held: PatchEnvelope | null
}

export const emptyPatchModeState: PatchModeState = {}

/** A journaled patch, its turn after that patch, and the time in milliseconds. */
export type PatchInput = { patch: PatchEnvelope; turn: TurnProjection; now: number }
/** `patch` is null when this patch sends nothing. */
export type PatchOutput = { state: PatchModeState; patch: PatchEnvelope | null }

/** The patch in the given mode. */
export function encodePatch(mode: PatchMode, state: PatchModeState, input: PatchInput): PatchOutput {
  if (mode === 'delta') return { state, patch: toDelta(input.patch) }
  return mode === 'sync' ? toSync(state, input) : toCompat(state, input)
}

/** Increments only: `content` beside a `text_delta`, and `turn`, are left out. */
export function toDelta(patch: PatchEnvelope): PatchEnvelope {
  if (patch.patch_type === 'sync') return patch
  const { turn: _snapshot, ...data } = patch.data
  if (isText(patch)) delete (data as { content?: unknown }).content
  return { ...patch, data } as PatchEnvelope
}

/** The specification's five types, with `content` and `turn` attached by the full-value rule. */
export function toCompat(
  state: PatchModeState,
  { patch, turn, now }: PatchInput,
): { state: PatchModeState; patch: PatchEnvelope } {
  const marks = grown(state[patch.turn_id], patch, turn)
  const index = textBlockIndex(patch, turn)
  const block = index === null ? undefined : marks.blocks[index]
  const isContentDue = block !== undefined && isFullValueDue(block)
  const isTurnDue = isText(patch)
    ? isFullValueDue(marks.turn) && (patch.sequence === 1 || isQuiet(marks, now))
    : isFullValueDue(marks.turn, LARGE_TURN_BYTES)

  const data = {
    ...toDelta(patch).data,
    ...(isContentDue && { content: turn.blocks[index!]?.content }),
    ...(isTurnDue && { turn }),
  }
  const after = {
    ...marks,
    ...(isContentDue && { blocks: { ...marks.blocks, [index!]: sent(block) } }),
    ...(isTurnDue && { turn: sent(marks.turn), sentAt: now }),
  }
  return { state: { ...state, [patch.turn_id]: after }, patch: { ...patch, data } as PatchEnvelope }
}

/**
 * Snapshots only: after every change that is not text; after text at most one per 100 ms and turn, and by the full-value
 * rule. One that is not due is held for `takeDueSyncs`, unless a newer one or `turn:end` overtakes it.
 */
export function toSync(state: PatchModeState, { patch, turn, now }: PatchInput): PatchOutput {
  const marks = grown(state[patch.turn_id], patch, turn)
  const { session_id, event_seq, turn_id, loop_id } = patch
  const sequence = turn.patch_sequence
  const sync: PatchEnvelope = { session_id, event_seq, sequence, turn_id, loop_id, patch_type: 'sync', data: { turn } }
  const isDue = !isText(patch) || (isFullValueDue(marks.turn) && isQuiet(marks, now))
  const after = isDue ? { ...marks, turn: sent(marks.turn), sentAt: now, held: null } : { ...marks, held: sync }
  return { state: { ...state, [turn_id]: after }, patch: isDue ? sync : null }
}

/** The held snapshots whose time has come. */
export function takeDueSyncs(state: PatchModeState, now: number): { state: PatchModeState; patches: PatchEnvelope[] } {
  const due = waiting(state).filter(([, marks]) => isQuiet(marks, now))
  if (due.length === 0) return { state, patches: [] }
  const after = due.map(([id, marks]) => [id, { ...marks, turn: sent(marks.turn), sentAt: now, held: null }] as const)
  return { state: { ...state, ...Object.fromEntries(after) }, patches: due.flatMap(([, { held }]) => held ?? []) }
}

/** When `takeDueSyncs` will next have something; null: not before another patch. */
export function nextSyncAt(state: PatchModeState): number | null {
  const times = waiting(state).map(([, { sentAt }]) => (sentAt ?? 0) + SNAPSHOT_INTERVAL_MS)
  return times.length === 0 ? null : Math.min(...times)
}

/** Forgets a turn: its `turn:end` carried everything. */
export function endPatches(state: PatchModeState, turn_id: string): PatchModeState {
  const { [turn_id]: ended, ...rest } = state
  return ended ? rest : state
}

/** The marks with this patch's bytes added; a turn or block not seen before is measured once. */
function grown(marks: TurnMarks | undefined, patch: PatchEnvelope, turn: TurnProjection): TurnMarks {
  const added = addedBytes(patch)
  const blocks = marks?.blocks ?? {}
  const index = textBlockIndex(patch, turn)
  const before = index === null ? undefined : blocks[index]
  const bytes = before ? before.bytes + added : utf8Bytes(String(index === null ? '' : turn.blocks[index]?.content))
  return {
    turn: marks ? { ...marks.turn, bytes: marks.turn.bytes + added } : { bytes: jsonBytes(turn), sent: null },
    sentAt: marks?.sentAt ?? null,
    blocks: index === null ? blocks : { ...blocks, [index]: { bytes, sent: before?.sent ?? null } },
    held: marks?.held ?? null,
  }
}

/** What the patch adds to its turn; a call and a result stand in it twice, as call and as block. */
function addedBytes(patch: PatchEnvelope): number {
  if (patch.patch_type === 'add_content' && patch.data.text_delta != null) return utf8Bytes(patch.data.text_delta)
  return patch.patch_type === 'add_content' ? jsonBytes(patch.data) : 2 * jsonBytes(patch.data)
}

function isText(patch: PatchEnvelope): boolean {
  return patch.patch_type === 'add_content' && patch.data.text_delta != null
}

function textBlockIndex(patch: PatchEnvelope, turn: TurnProjection): number | null {
  if (patch.patch_type !== 'add_content' || patch.data.text_delta == null) return null
  return patch.data.block_index ?? turn.blocks.length - 1
}

function waiting(state: PatchModeState) {
  return Object.entries(state).filter(([, marks]) => marks.held && isFullValueDue(marks.turn))
}

function isQuiet({ sentAt }: TurnMarks, now: number): boolean {
  return sentAt === null || now - sentAt >= SNAPSHOT_INTERVAL_MS
}

const sent = ({ bytes }: Extent): Extent => ({ bytes, sent: bytes })
const jsonBytes = (value: unknown) => utf8Bytes(JSON.stringify(value))
