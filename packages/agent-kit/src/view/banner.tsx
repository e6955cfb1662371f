import { joinClasses } from '@parley/chatkit'
import type { AgentSessionState } from '@parley/client'
import { useRef } from 'react'
import { useSessionState } from '../sessions/use-session-state.ts'
import { useView } from './view-context.ts'

/** What is wrong with the session as a whole. */
export function Banner() {
  const { client, sessionId, texts, classNames } = useView()
  const trouble = useSessionState(client, sessionId, troubleOf)
  const wasConnected = useRef(false)
  if (trouble === 'none') wasConnected.current = true
  // The first connection is no news.
  if (trouble === null || trouble === 'none' || (trouble === 'reconnecting' && !wasConnected.current)) return null
  return (
    <p
      className={joinClasses('ck-banner', trouble !== 'reconnecting' && 'ck-error', classNames.viewerBanner)}
      role={trouble === 'reconnecting' ? 'status' : 'alert'}
    >
      {texts[trouble]}
    </p>
  )
}

function troubleOf({ isGone, connection }: AgentSessionState): 'gone' | 'refused' | 'reconnecting' | 'none' {
  // Nobody tries again by itself with a credential that was not accepted.
  if (connection === 'refused') return 'refused'
  if (isGone) return 'gone'
  return connection === 'connected' ? 'none' : 'reconnecting'
}
