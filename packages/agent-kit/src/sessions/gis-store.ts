import { create } from 'zustand'
import { bySession, type BySession, withList } from './by-session.ts'

/** A bridge action for the page's map, such as `map.highlight`. */
export type GisMapCommand = { id: string; action: string; payload: unknown }

export type GisState = {
  /** What the agent asked of the map and nobody has done yet, oldest first. */
  pendingMapCommandsBySession: BySession<GisMapCommand>
  addMapCommand: (sessionId: string, command: GisMapCommand) => void
  /** The page has done it. */
  consumeMapCommand: (sessionId: string, id: string) => void
}

/** A page without a map never does any; old ones go. */
const MAX_PENDING = 200

export const useGisStore = create<GisState>()((set) => ({
  pendingMapCommandsBySession: bySession(),
  addMapCommand: (sessionId, command) =>
    set(({ pendingMapCommandsBySession: lists }) => ({
      pendingMapCommandsBySession: withList(lists, sessionId, [...lists[sessionId]!, command].slice(-MAX_PENDING)),
    })),
  consumeMapCommand: (sessionId, id) =>
    set(({ pendingMapCommandsBySession: lists }) => ({
      pendingMapCommandsBySession: withList(
        lists,
        sessionId,
        lists[sessionId]!.filter((command) => command.id !== id),
      ),
    })),
}))
