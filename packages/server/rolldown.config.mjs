// The server as a few files instead of a thousand: finding and opening them was most of its start (bench/results.md).
export default {
  // The others are started as processes of their own.
  input: {
    main: 'packages/server/dist/main.js',
    worker: 'packages/server/dist/foreign/worker.js',
    'tool-worker': 'packages/server/dist/tools/own/tool-worker.js',
  },
  platform: 'node',
  // They look for files beside themselves, or are loaded by their name.
  external: ['pino-pretty', 'pg-native', '@anthropic-ai/sandbox-runtime', '@vscode/ripgrep', 'mdream', 'echarts'],
  output: { dir: 'packages/server/bundle', cleanDir: true, sourcemap: true },
  logLevel: 'warn',
}
