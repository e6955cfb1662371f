import type { Checkpoint } from '@parley/protocol/rest'
import { expect, test } from 'vitest'
import { toChatMessage, type ChatMessage } from '../../model/chat-message.ts'
import { RoleType } from '../../model/role.ts'
import { indexVersions, versionsOf } from './message-versions.ts'

const user = (id: string) => message(id, RoleType.User)
const answer = (id: string) => message(id, RoleType.Assistant)
const message = (messageID: string, type: RoleType): ChatMessage =>
  toChatMessage({ messageID, role: { name: '', avatar: '', type }, content: [] })

/** `turn: parent label`, oldest first. */
const index = (...lines: string[]) =>
  indexVersions(
    lines.map((line, sequence): Checkpoint => {
      const [turn_id = '', parent = '', label = ''] = line.split(' ')
      const place = { turn_id, sequence, parent_turn_id: parent === '-' ? null : parent }
      return { ...place, checkpoint_id: `cp_${turn_id}`, label, created_at: null, branch_id: 'main', active: true }
    }),
  )

const shown = (messages: ChatMessage[], versions: ReturnType<typeof index>) =>
  Object.fromEntries(
    Object.entries(versionsOf(messages, versions)).map(([before, { ids, active }]) => [before, [active, ids]]),
  )

test('[K12.3] the same words are versions of the answer, other words are versions of the message', () => {
  const versions = index('q1 - hello', 'q2 - hello', 'q3 - bye', 'q4 - hello')
  expect(shown([user('q2'), answer('a2')], versions)).toEqual({
    '': [0, ['cp_q2', 'cp_q3']],
    q2: [1, ['cp_q1', 'cp_q2', 'cp_q4']],
  })
  expect(shown([user('q3'), answer('a3')], versions)).toEqual({ '': [1, ['cp_q4', 'cp_q3']] })
})

test('[K12.3] a message without an answer has all versions itself', () => {
  const versions = index('q1 - hello', 'q2 - hello')
  expect(shown([user('q2')], versions)).toEqual({ '': [1, ['cp_q1', 'cp_q2']] })
})

test('[K12.3] versions are those after the same turn, and stand behind the message that is shown before', () => {
  const versions = index('q1 - hello', 'q2 a1 more', 'q3 a1 else')
  const messages = [user('q1'), answer('a1'), answer('notice'), user('q3'), answer('a3')]
  expect(shown(messages, versions)).toEqual({ notice: [1, ['cp_q2', 'cp_q3']] })
  expect(shown(messages, index())).toEqual({})
})
