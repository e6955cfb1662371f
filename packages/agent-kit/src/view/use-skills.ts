import type { SkillSummary } from '@parley/protocol'
import { useEffect, useState } from 'react'
import { findHeldSession, holdSession } from '../sessions/held-sessions.ts'
import type { View } from './view-context.ts'

const NONE: readonly SkillSummary[] = []

/** The skills a session has; read again when they change. A server without skills has none. */
export function useSkills({ client, sessionId }: Pick<View, 'client' | 'sessionId'>): readonly SkillSummary[] {
  const [skills, setSkills] = useState(NONE)
  useEffect(() => {
    const release = holdSession(client, sessionId)
    const session = findHeldSession(client, sessionId)!
    let isCurrent = true
    const show = (list: readonly SkillSummary[]) => {
      if (isCurrent) setSkills(list)
    }
    client.skills.listSessionSkills(sessionId).then(show, () => show(NONE))
    const unsubscribe = session.on('skills:changed', (event) => show(event.skills))
    return () => {
      isCurrent = false
      unsubscribe()
      release()
    }
  }, [client, sessionId])
  return skills
}
