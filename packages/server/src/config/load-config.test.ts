import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { ConfigError, loadConfig } from './load-config.ts'

const load = (options: object) => loadConfig(tmpdir(), {}, options)

test('[D9] what a program gives is completed like what a file says: a default inside of an option, too', async () => {
  const { policy } = await load({ policy: { rules: [{ tool: 'Bash', decision: 'ask' }] } })
  expect(policy).toEqual({
    rules: [{ tool: 'Bash', decision: 'ask' }],
    headless: 'fail',
    confirmationMinutes: 15,
  })
})

test('[D9] what a program gives and cannot be meant is refused by name', async () => {
  await expect(load({ prot: 80 })).rejects.toThrow(ConfigError)
  await expect(load({ policy: { confirmationMinutes: 0 } })).rejects.toThrow('policy.confirmationMinutes')
})
