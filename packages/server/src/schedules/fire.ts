import { isAgentError } from '@parley/protocol'
import { liveOffers } from '../store/instances.ts'
import { runSql, type Work } from '../store/work.ts'
import {
  beginRun,
  type ClaimOptions,
  findPrevious,
  holdPrevious,
  isTaken,
  leavePrevious,
  Outdated,
  type Previous,
  recordSlot,
  takeSlots,
} from './claim-slots.ts'
import { planSlots, type SlotPlan } from './plan-slots.ts'
import type { DueRow, ScheduleRow } from './schedule-rows.ts'

export type FireOptions = ClaimOptions & {
  /** This process and the others that share the database, of which some are gone. */
  instance: string
  gone: () => ReadonlySet<string>
}

/** [W10.19] The words of the specification. */
const STILL_ACTIVE = 'skipped: previous run still active'
const OWNER_GONE = 'owner_gone: the user whose task this is no longer exists'

type Due = { task: DueRow; plan: SlotPlan & { fires: number } }

/**
 * Gives every slot of a task that is due its fate, once however many instances try:
 *
 *            ┌ older than the last, or too old ──▶ missed
 *   due ─────┤            ┌ previous run active ─▶ skipped
 *            └ the last ──┤ cannot be begun ─────▶ failed
 *                         └ session and run ─────▶ running ─▶ ran, failed   (slot-ends.ts)
 *
 * The claim is the move of the task to its next slot, in the transaction that stores the fate: a crash leaves both or none.
 */
export async function fire(task: DueRow, options: FireOptions): Promise<void> {
  const { engine } = options
  try {
    const plan = planned(task)
    if ('error' in plan)
      return await engine.write(() => end({ task, plan }, { fate: 'failed', error: plan.error }, options))
    const { fires } = plan
    const { isOwned, isDone, previous } = await engine.read(() => circumstances(task, fires))
    if (fires === null || isDone) return await engine.write(() => takeSlots(task, plan, options))
    const due = { task, plan: { ...plan, fires } }
    if (!isOwned) return await engine.write(() => end(due, { fate: 'failed', error: OWNER_GONE }, options))
    if (previous?.standing === 'active') return await engine.write(() => skip(due, options))
    await begin(due, options)
  } catch (error) {
    if (!(error instanceof Outdated)) throw error
  }
}

/** A time zone may be gone since the task was made: then nothing of it is due any more. */
function planned(task: DueRow): SlotPlan | (Due['plan'] & { error: string }) {
  try {
    return planSlots(task, task.now)
  } catch (error) {
    if (!isAgentError(error)) throw error
    return { fires: task.next_at, missed: null, next: null, error: `${error.code}: ${error.message}` }
  }
}

async function begin(due: Due, options: FireOptions): Promise<void> {
  const { task, plan } = due
  try {
    await beginRun(task, options, function* (begun) {
      const previous = yield* holdPrevious(task)
      yield* takeSlots(task, plan, options)
      yield* leavePrevious(task, previous, options)
      yield* recordSlot(task, { slot: plan.fires, fate: 'running', ...begun }, options)
    })
  } catch (error) {
    if (!isAgentError(error)) throw error
    if (error.code === 'model_not_available' && (await isElsewhere(task, options))) return
    const reason = `${error.code}: ${error.message}`
    await options.engine.write(() => end(due, { fate: 'failed', error: reason }, options))
  }
}

type Circumstances = { isOwned: boolean; isDone: boolean; previous: Previous }

function* circumstances(task: ScheduleRow, slot: number | null): Work<Circumstances> {
  const owner = yield* runSql('SELECT id FROM users WHERE id = ?', [task.user_id])
  const isDone = slot !== null && (yield* isTaken(task.id, slot))
  return { isOwned: owner.length > 0, isDone, previous: yield* findPrevious(task) }
}

function* skip(due: Due, options: FireOptions): Work<void> {
  const previous = yield* holdPrevious(due.task)
  if (previous?.standing !== 'active') throw new Outdated()
  yield* end(due, { fate: 'skipped', error: STILL_ACTIVE }, options)
}

function* end(
  { task, plan }: Due,
  fate: { fate: 'skipped' | 'failed'; error: string },
  options: FireOptions,
): Work<void> {
  yield* takeSlots(task, plan, options)
  yield* recordSlot(task, { ...fate, slot: plan.fires }, options)
}

/** Whether another instance has the model that is missing here, and shall begin it. */
async function isElsewhere({ model }: ScheduleRow, { engine, gone, instance }: FireOptions): Promise<boolean> {
  const offers = await engine.read(() => liveOffers(new Set([...gone(), instance])))
  return offers.some(({ models }) => model !== null && models.includes(model))
}
