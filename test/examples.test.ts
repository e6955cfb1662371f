import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('[W12.12.3] the example of a sign-in of one’s own says at once that its secret is missing', () => {
  const { SHOP_SECRET: _, ...env } = process.env
  for (const secret of [{}, { SHOP_SECRET: 'short' }]) {
    const { status, stderr } = spawnSync(process.execPath, ['examples/own-sign-in.mjs'], {
      env: { ...env, ...secret, PORT: '0' },
      timeout: 5_000,
    })
    expect(status).toBe(2)
    expect(stderr.toString()).toMatch(/^SHOP_SECRET .*32 bytes.*visitors\.secret/)
  }
})
