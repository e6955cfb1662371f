// The server as a few files instead of a thousand: finding and opening them was most of its start (bench/results.md).
export default {
  input: { main: 'packages/server/dist/main.js' },
  platform: 'node',
  // Loaded by a worker thread, by its name.
  external: ['pino-pretty', 'pg-native'],
  output: { dir: 'packages/server/bundle', cleanDir: true, sourcemap: true },
  logLevel: 'warn',
}
