import { afterAll } from 'vitest'
import type { ServerOptions } from '../../src/config/options.ts'
import { setDatabaseClock } from '../store/movable-clock.ts'
import { sharedWorld, type Store, type World } from '../wire/world.ts'

const trueTime = Date.now
let offset = 0

/** A world, for all tests of a file, whose time is what a test says it is; each test begins where the one before ended. */
export function timedWorld(store: Store, options: ServerOptions = {}): () => World {
  Date.now = () => trueTime() + offset
  const world = sharedWorld(store, options)
  // The next who gets this database gets the true time.
  afterAll(() => setTime(world(), trueTime()))
  return world
}

/** From here on the time goes its way, for the server and for its database. */
export async function setTime(world: Pick<World, 'databaseUrl'>, at: number | string): Promise<void> {
  const to = typeof at === 'string' ? Date.parse(at) : at
  offset = Math.round(to - trueTime())
  if (world.databaseUrl) await setDatabaseClock(world.databaseUrl, offset)
}
