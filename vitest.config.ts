import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Tests read the sources; only the processes they start run what was built.
  resolve: {
    alias: [{ find: /^@parley\/([a-z-]+)$/, replacement: `${import.meta.dirname}/packages/$1/src/index.ts` }],
  },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/postgres.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
})
