import { defineConfig } from 'vitest/config'

const TESTS = ['packages/*/src/**/*.test.{ts,tsx}', 'packages/*/test/**/*.test.{ts,tsx}', 'test/**/*.test.ts']
/** They start, freeze and kill servers: after the others, so that two of them have the machine to themselves. */
const PROCESSES = ['packages/server/test/{crash,race,reconnect,volume}/**/*.test.ts']
/** They have a Chromium each. */
const BROWSERS = ['packages/*/test/browser/**/*.test.ts']

export default defineConfig({
  // Tests read the sources; only the processes they start run what was built.
  resolve: {
    alias: [
      { find: /^@parley\/agent-kit\/([a-z]+)$/, replacement: `${import.meta.dirname}/packages/agent-kit/src/$1.ts` },
      { find: /^@parley\/([a-z-]+)$/, replacement: `${import.meta.dirname}/packages/$1/src/index.ts` },
    ],
  },
  test: {
    globalSetup: ['test/own-directory.ts', 'test/postgres.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          include: TESTS,
          exclude: [...PROCESSES, ...BROWSERS],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browsers',
          globalSetup: ['packages/chatkit/test/browser/unpack-chromium.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
          include: BROWSERS,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: PROCESSES,
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})
