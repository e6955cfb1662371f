import type { ModelEntry } from '../ports.ts'
import type { Engine } from '../store/engine.ts'
import { type InstanceOffer, liveOffers } from '../store/instances.ts'
import { readNeeds, type RunAgent, type RunNeeds } from '../store/run-options.ts'
import type { WaitingRun } from '../store/run-rows.ts'
import type { Work } from '../store/work.ts'

// Who can carry a run on: whoever has its model and its agent, and the tools that are not everybody's.

/** What this instance has, and whom it knows. */
export type Equipment = {
  engine: Engine
  model: (id: string) => ModelEntry | undefined
  /** Stricter than `model`: whether another instance need not be preferred. */
  hasModel: (id: string) => boolean
  /** Tools that only some instances have, and this one does. */
  ownTools: () => string[]
  /** Whether this version of an agent is here, got from the database if need be. */
  hasAgent: (agent: RunAgent) => Promise<boolean>
  /** Other instances that have given no sign of life for a lease. */
  gone: () => ReadonlySet<string>
}

/** The model or tool that this instance lacks to carry a run on. */
export function missingHere(
  { model, tools = [] }: RunNeeds,
  here: Pick<Equipment, 'model' | 'ownTools'>,
): string | undefined {
  if (!here.model(model)) return model
  const own = here.ownTools()
  return tools.find((name) => !own.includes(name))
}

/** Whether this instance should take an abandoned run. One that nobody can carry on is anybody's, to be ended. */
export async function isForHere(needs: RunNeeds, here: Equipment & { instance: string }): Promise<boolean> {
  const { engine, hasAgent, gone, instance } = here
  const isEquipped = here.hasModel(needs.model) && missingHere(needs, here) === undefined
  if (isEquipped && (!needs.agent || (await hasAgent(needs.agent)))) return true
  // This one may not have said yet what it lacks.
  const others = { engine, gone: () => new Set([...gone(), instance]) }
  return !(await engine.read(() => anotherHas(needs, others)))
}

/**
 * What the run that asked needs and this instance lacks, while another one has it: here, what was agreed to would find no
 * tool and be lost. Where nobody has it any more this instance is as good as any.
 */
export function* needsOfOthers(
  waiting: WaitingRun,
  model: string,
  here: Pick<Equipment, 'engine' | 'ownTools' | 'gone'>,
): Work<RunNeeds | undefined> {
  const { tools = [], agent }: RunNeeds = readNeeds(waiting.needs) ?? { model }
  const own = here.ownTools()
  if (tools.every((name) => own.includes(name))) return undefined
  const needs = { model, tools, ...(agent && { agent }) }
  return (yield* anotherHas(needs, here)) ? needs : undefined
}

/** Whether an instance that lives has all of it. On SQLite there is no other. */
function* anotherHas(
  { model, tools = [], agent }: RunNeeds,
  { engine, gone }: Pick<Equipment, 'engine' | 'gone'>,
): Work<boolean> {
  if (engine.kind === 'sqlite') return false
  const offers = yield* liveOffers(gone())
  const has = (offer: InstanceOffer) =>
    offer.models.includes(model) &&
    tools.every((name) => offer.tools.includes(name)) &&
    !(agent && offer.lacks?.includes(agent.digest))
  return offers.some(has)
}
