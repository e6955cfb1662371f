import { expect, test } from 'vitest'
import { createPolicy } from '../confirm/policy.ts'
import { toolsFor } from './registry.ts'

const session = {
  session_id: 's',
  env: {},
  notify: () => undefined,
  subject: async () => null,
  workspace: async () => '/nowhere',
}
const policy = createPolicy({ rules: [{ tool: '*', decision: 'allow' }], headless: 'fail' })

test('what a session does not have is denied, whatever the rules allow', () => {
  const options = {
    language: 'en',
    disabled: [],
    isPlanning: false,
    isHeadless: false,
    isNamed: () => true,
    policy,
    ...session,
  } as const
  expect(toolsFor(() => [], options).judge({ name: 'Bash' }, {})).toMatchObject({ type: 'deny' })
})
