import type { AgentSession, ParleyClient } from '@parley/client'
import type { SkillSummary } from '@parley/protocol'
import { useEffect, useState } from 'react'
import { findHeldSession, holdSession } from '../sessions/held-sessions.ts'
import type { View } from './view-context.ts'

const NONE: readonly SkillSummary[] = []

/** The skills a session has, also when they change. A server without skills has none. */
export function useSkills({ client, sessionId }: Pick<View, 'client' | 'sessionId'>): readonly SkillSummary[] {
  const [skills, setSkills] = useState(NONE)
  useEffect(() => {
    const release = holdSession(client, sessionId)
    const unwatch = watchSkills(client, findHeldSession(client, sessionId)!, setSkills)
    return () => {
      unwatch()
      release()
    }
  }, [client, sessionId])
  return skills
}

/**
 * A change is told once, to those who follow: what was read before the session was followed may be out of date, and so may
 * an answer that a change overtook.
 */
function watchSkills(
  client: ParleyClient,
  session: AgentSession,
  show: (list: readonly SkillSummary[]) => void,
): () => void {
  let isFollowed = false
  let newest = 0
  const read = async () => {
    const mine = ++newest
    const list = await client.skills.listSessionSkills(session.id).catch(() => NONE)
    if (mine === newest) show(list)
  }
  const look = () => {
    const { isReady } = session.getState()
    if (isReady && !isFollowed) void read()
    isFollowed = isReady
  }
  const unsubscribe = session.subscribe(look)
  const unhear = session.on('skills:changed', ({ skills }) => {
    newest += 1
    show(skills)
  })
  look()
  return () => {
    newest += 1
    unsubscribe()
    unhear()
  }
}
