import type { Session } from '@parley/protocol'
import { useEffect } from 'react'
import { client } from '../client.ts'
import { patchSession } from '../sessions.ts'

const FIELDS: ReadonlySet<string> = new Set<keyof Session>(['intent', 'model', 'status', 'mode', 'updated_at'])

/** What the server says of the sessions that are open here, where it stands in lists and titles. */
export function useSessionUpdates(): void {
  useEffect(() => {
    const socket = client.socket()
    const onUpdate = ({ session_id, ...told }: { session_id: string }) => {
      const known = Object.entries(told).filter(([name, value]) => FIELDS.has(name) && value !== undefined)
      patchSession(session_id, Object.fromEntries(known))
    }
    socket.on('session:updated', onUpdate)
    return () => {
      socket.off('session:updated', onUpdate)
    }
  }, [])
}
