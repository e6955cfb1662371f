// The server as a few files instead of a thousand: finding and opening them was most of its start, and with them go the
// packages they come from (docs/decisions 0009 and 0042).
import { join } from 'node:path'
import { build } from 'rolldown'

const src = join(import.meta.dirname, 'src')

await build({
  // The program, what others import, and what runs in processes of its own: what others wrote, and what starts it again.
  input: {
    main: `${src}/main.ts`,
    index: `${src}/index.ts`,
    worker: `${src}/foreign/worker.ts`,
    'tool-worker': `${src}/tools/own/tool-worker.ts`,
    supervise: `${src}/supervise/supervise.ts`,
    'in-process': `${src}/in-process/index.ts`,
  },
  platform: 'node',
  resolve: { conditionNames: ['parley-source', 'node'] },
  // They look for files beside themselves; the last one is not there, and that is fine.
  external: ['@anthropic-ai/sandbox-runtime', '@vscode/ripgrep', '@embedpdf/pdfium', /^mdream(?:\/|$)/, 'pg-native'],
  output: { dir: join(import.meta.dirname, 'bundle'), cleanDir: true, sourcemap: true },
  logLevel: 'warn',
})
