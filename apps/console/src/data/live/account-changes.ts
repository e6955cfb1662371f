import { useEffect } from 'react'
import { client } from '../client.ts'
import { rereadInbox } from '../inbox.ts'
import { rereadChanged, rereadSessions } from '../sessions.ts'

/** The server says what else has changed: lists and numbers are read again, wherever it happened. */
export function useAccountChanges(): void {
  useEffect(
    () =>
      client.onAccountChanged(({ sessions, inbox }) => {
        if (inbox) void rereadInbox()
        if (sessions === null || sessions.length > 0) void rereadChanged(sessions).catch(rereadSessions)
      }),
    [],
  )
}
