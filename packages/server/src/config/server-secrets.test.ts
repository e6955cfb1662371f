import { expect, test } from 'vitest'
import { serverSecrets } from './server-secrets.ts'

test('what is secret by its name, in the environment and anywhere in the configuration, is known', () => {
  const environment = { BILLING_API_KEY: 'from the environment', HOME: '/home/me' }
  const config = {
    port: 8020,
    modelKey: 'of the model',
    httpTools: [{ name: 'order', secret: 'of the tool' }],
    mcpServers: { crm: { headers: { 'X-Anything': 'of the server' }, url: 'https://crm.example' } },
  }
  expect(serverSecrets(environment, config)).toEqual([
    { name: 'BILLING_API_KEY', value: 'from the environment' },
    { name: 'modelKey', value: 'of the model' },
    { name: 'httpTools.0.secret', value: 'of the tool' },
    { name: 'mcpServers.crm.headers.X-Anything', value: 'of the server' },
  ])
})

test('of an address the password is the secret, as it is written and as it is meant; one that means nothing ends nobody', () => {
  const DATABASE_URL = 'postgres://parley:p%40ssword@db.example/parley'
  expect(serverSecrets({ DATABASE_URL }, {}).map(({ value }) => value)).toEqual(['p%40ssword', 'p@ssword'])
  expect(serverSecrets({ AUTH_URL: 'https://me:50%off@example.org' }, {})).toEqual([
    { name: 'AUTH_URL', value: '50%off' },
  ])
  expect(serverSecrets({ AUTH_URL: 'https://example.org' }, {})).toEqual([])
})
