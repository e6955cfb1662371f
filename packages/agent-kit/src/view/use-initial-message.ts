import type { ParleyClient } from '@parley/client'
import { useEffect, useState } from 'react'
import type { View } from './view-context.ts'

/** What the session's role, else its solution, says before the first message; `null`: nothing. `undefined` until that is known. */
export function useInitialMessage({
  client,
  sessionId,
  isWanted,
}: Pick<View, 'client' | 'sessionId'> & { isWanted: boolean }): string | null | undefined {
  const [read, setRead] = useState<{ sessionId: string; message: string | null }>()
  useEffect(() => {
    if (!isWanted) return undefined
    let isShown = true
    void readMessage(client, sessionId).then((message) => isShown && setRead({ sessionId, message }))
    return () => {
      isShown = false
    }
  }, [client, sessionId, isWanted])
  return read?.sessionId === sessionId ? read.message : undefined
}

/** A server that cannot say is no reason to show nothing at all. */
async function readMessage(client: ParleyClient, sessionId: string): Promise<string | null> {
  const detail = await client.sessions.getSession(sessionId).catch(() => null)
  const role = detail?.solution?.roles.find(({ id }) => id === detail.biz_role_id)
  return role?.initial_message ?? detail?.solution?.initial_message ?? null
}
