import { Rig } from '../sessions/rig.ts'
import { postgresPlace, sqlitePlace } from '../store/place.ts'

export type PlaceName = 'sqlite' | 'postgres'
export const PLACES: readonly PlaceName[] = ['sqlite', 'postgres']

/** Sessions and runs on either database. */
export async function on(name: PlaceName): Promise<Rig> {
  const place = await (name === 'sqlite' ? sqlitePlace() : postgresPlace())
  const rig = new Rig('', await place.open({ leaseMs: 10_000 }))
  const close = rig[Symbol.asyncDispose].bind(rig)
  return Object.assign(rig, {
    async [Symbol.asyncDispose]() {
      await close()
      await place[Symbol.asyncDispose]()
    },
  })
}
