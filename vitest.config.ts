import { defineConfig } from 'vitest/config'

const TESTS = [
  '{packages,apps}/*/src/**/*.test.{ts,tsx}',
  '{packages,apps}/*/test/**/*.test.{ts,tsx}',
  'test/**/*.test.ts',
]
/** They start, freeze and kill servers: after the others, so that two of them have the machine to themselves. */
const PROCESSES = ['packages/server/test/{crash,race,reconnect,volume}/**/*.test.ts']
/** They have a Chromium each. */
const BROWSERS = ['{packages,apps}/*/test/browser/**/*.test.ts']
/** Root sees more here: small disks, commands that are another user's, control groups. The last one writes beside the sources. */
const ROOTS = [
  'packages/server/test/{sandbox,tools/bash,tools/file-ops}/**/*.test.ts',
  'packages/server/test/start/data-directory.test.ts',
  'packages/server/test/wire/full-disk.test.ts',
  'test/packages.test.ts',
]
/** The gate gives them to root, and all others to somebody else; without it they all are whoever starts them. */
const { TESTS_FOR_ROOT } = process.env
const others = TESTS_FOR_ROOT === 'without' ? ROOTS : []
const units = TESTS_FOR_ROOT === 'only' ? ROOTS : TESTS
const unlessOnly = (files: string[]) => (TESTS_FOR_ROOT === 'only' ? [] : files)

export default defineConfig({
  // Tests read the sources; only the processes they start run what was built.
  resolve: {
    alias: [
      {
        find: /^@parley\/(agent-kit|protocol)\/([a-z-]+)$/,
        replacement: `${import.meta.dirname}/packages/$1/src/$2.ts`,
      },
      {
        find: '@parley/server/in-process',
        replacement: `${import.meta.dirname}/packages/server/src/in-process/index.ts`,
      },
      { find: /^@parley\/([a-z-]+)$/, replacement: `${import.meta.dirname}/packages/$1/src/index.ts` },
    ],
  },
  test: {
    globalSetup: ['test/own-directory.ts', 'test/postgres.ts'],
    // Below what may be given to another user, who may then also remove it.
    fsModuleCachePath: 'node_modules/.vite/vitest-modules',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Servers speak the language of the locale: the same for whoever runs the tests.
    env: { LANG: 'en_US.UTF-8', LC_ALL: '', LC_MESSAGES: '' },
    // All other style sheets are empty, also those that are imported as text.
    css: { include: [/chatkit\.css/] },
    // The default is one second, which a busy machine takes for anything.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          include: units,
          exclude: [...PROCESSES, ...BROWSERS, ...others],
          // Many of them wait for processes and clocks: a third one uses what two leave. Those of root look at processes.
          maxWorkers: TESTS_FOR_ROOT === 'only' ? 2 : 3,
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
          include: unlessOnly(BROWSERS),
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: unlessOnly(PROCESSES),
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})
