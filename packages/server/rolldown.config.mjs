// The server as a few files instead of a thousand: finding and opening them was most of its start (bench/results.md).
export default {
  // The others run in processes of their own: what others wrote, and what starts the server again.
  input: {
    main: 'packages/server/dist/main.js',
    worker: 'packages/server/dist/foreign/worker.js',
    'tool-worker': 'packages/server/dist/tools/own/tool-worker.js',
    supervise: 'packages/server/dist/supervise/supervise.js',
  },
  platform: 'node',
  // They look for files beside themselves, or are loaded by their name.
  external: ['pino-pretty', 'pg-native', '@anthropic-ai/sandbox-runtime', '@vscode/ripgrep', 'mdream', 'echarts'],
  output: { dir: 'packages/server/bundle', cleanDir: true, sourcemap: true },
  logLevel: 'warn',
}
