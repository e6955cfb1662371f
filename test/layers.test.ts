import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/** Everything a layer may see besides itself. What is not listed, npm packages and node: included, is a stranger. */
const mayImport: Record<string, string[]> = {
  'packages/protocol/src': ['zod'],
  'packages/tools/src': ['zod'],
  'packages/server/src/core': ['packages/protocol', 'packages/server/src/ports'],
  'packages/server/src/words': ['packages/protocol'],
  'packages/server/src/models': [
    'packages/protocol',
    'packages/server/src/ports',
    'packages/server/src/egress',
    'packages/server/src/store/stored-model-id',
    'packages/server/src/words/tool-names',
    'node:',
    'undici',
    'eventsource-parser',
    '@ai-sdk/anthropic',
    '@ai-sdk/openai',
    '@ai-sdk/provider',
  ],
  'packages/server/src/store': ['packages/protocol', 'packages/server/src/ports', 'node:', 'kysely', 'pg'],
  'packages/server/src/egress': ['node:', 'undici', 'ipaddr.js', 'zod'],
  'packages/server/src/sandbox': ['node:', '@anthropic-ai/sandbox-runtime', '@vscode/ripgrep'],
  'packages/server/src/confirm': [
    'packages/protocol',
    'packages/server/src/words',
    'packages/server/src/ports',
    'packages/server/src/core',
    'packages/server/src/store',
    'node:',
    'kysely',
  ],
  'packages/server/src/foreign': ['packages/server/src/ports', 'node:', 'ajv', 'echarts'],
  'packages/server/src/tools': [
    'packages/protocol',
    'packages/tools',
    'packages/server/src/agents/agent-version',
    'packages/server/src/words',
    'packages/server/src/ports',
    'packages/server/src/confirm',
    'packages/server/src/egress',
    'packages/server/src/foreign',
    'packages/server/src/sandbox',
    'packages/server/src/store',
    'packages/server/src/http',
    'packages/server/src/core',
    'packages/server/src/auth/principal',
    'packages/server/src/auth/seal',
    'packages/server/src/config/onedragon-options',
    'packages/server/src/feature.ts',
    'packages/server/src/workspace/files',
    'packages/server/src/workspace/cleaner',
    'packages/server/src/workspace/remove-tree',
    'node:',
    'zod',
    'fastify',
    '@modelcontextprotocol/client',
    '@vscode/ripgrep',
    'mdream',
  ],
  'packages/server/src/workspace': [
    'packages/protocol',
    'packages/server/src/feature.ts',
    'packages/server/src/store',
    'packages/server/src/http',
    'node:',
    'fastify',
    '@fastify/multipart',
    'fflate',
    'zod',
  ],
  'packages/server/src/auth': [
    'packages/protocol',
    'packages/server/src/store',
    'packages/server/src/egress',
    'packages/server/src/write-private-file',
    'node:',
    'jose',
    'zod',
  ],
  'packages/server/src/http': [
    'packages/protocol',
    'packages/server/src/words',
    'packages/server/src/auth',
    'packages/server/src/store',
    'node:',
    'fastify',
    'pino',
    'zod',
    'ipaddr.js',
  ],
  'packages/server/src/config': [
    'packages/tools',
    'packages/server/src/tools/own/file-digests',
    'packages/server/src/tools/own/resolve-imports',
    'packages/server/src/tools/own/place-of-error',
    'packages/server/src/auth/product/visitors-options',
    'packages/server/src/egress/egress-options',
    'packages/server/src/words/language',
    'packages/server/src/words/nearest-name',
    'packages/server/src/tools/http/config',
    'packages/server/src/tools/mcp/config',
    'packages/server/src/tools/web/search-options',
    'node:',
    'zod',
  ],
  // Wires like `server.ts`, for a program without a door.
  'packages/server/src/in-process': ['packages/protocol', 'packages/tools', 'packages/server/src', 'node:crypto'],
  'packages/server/src/faces': [
    'packages/protocol',
    'packages/server/src/ports',
    'packages/server/src/words',
    'packages/server/src/config/options',
    'packages/server/src/config/onedragon-options',
    'packages/server/src/model-configs',
    'packages/server/src/models/registry',
    'packages/server/src/store/stored-model-id',
    'packages/server/src/auth',
    'packages/server/src/confirm/ask',
    'packages/server/src/store/read-turn',
    'packages/server/src/store/stored-event',
    'packages/server/src/store/stored-json',
    'packages/server/src/store/turn-fold',
    'packages/server/src/store/work',
    'packages/server/src/http',
    'packages/server/src/feed',
    'packages/server/src/sessions/service',
    'packages/server/src/tools/analysis/analyses',
    'node:',
    'fastify',
    'pino',
    'socket.io',
    'zod',
  ],
  // Runs beside the server, in an older Node: nothing of the server is loaded for it.
  'packages/server/src/supervise': [
    'packages/server/src/words/filled',
    'packages/server/src/words/language',
    'packages/server/src/words/phrases/supervisor-lines',
    'packages/server/src/log-output',
    'node:child_process',
  ],
  'packages/server/src/feed': ['packages/protocol', 'packages/server/src/words', 'packages/server/src/store'],
  'packages/server/src/context': [
    'packages/protocol',
    'packages/server/src/ports',
    'packages/server/src/core',
    'packages/server/src/store',
    'node:crypto',
    'node:zlib',
  ],
  'packages/server/src/model-configs': [
    'packages/protocol',
    'packages/server/src/ports',
    'packages/server/src/auth/principal',
    'packages/server/src/auth/seal',
    'packages/server/src/egress/egress',
    'packages/server/src/models/stored-model',
    'packages/server/src/store',
    'zod',
  ],
  'packages/server/src/model-calls': [
    'packages/server/src/feature.ts',
    'packages/protocol',
    'packages/server/src/ports',
    'packages/server/src/context',
    'packages/server/src/http',
    'packages/server/src/store',
    'fastify',
    'zod',
  ],
  'packages/server/src/runs': [
    'packages/protocol',
    'packages/server/src/words',
    'packages/server/src/ports',
    'packages/server/src/core',
    'packages/server/src/confirm',
    'packages/server/src/context',
    'packages/server/src/store',
    'packages/server/src/foreign',
    'node:',
    'kysely',
  ],
  'packages/server/src/sessions': [
    'packages/protocol',
    'packages/server/src/auth/principal',
    'packages/server/src/ports',
    'packages/server/src/confirm',
    'packages/server/src/context',
    'packages/server/src/runs',
    'packages/server/src/store',
  ],
  'packages/server/src/tasks': [
    'packages/protocol',
    'packages/server/src/words',
    'packages/server/src/feature.ts',
    'packages/server/src/ports',
    'packages/server/src/store',
    'packages/server/src/http',
    'packages/server/src/tools/define-tool',
    'node:',
    'fastify',
    'zod',
  ],
  'packages/server/src/background': [
    'packages/protocol',
    'packages/server/src/words',
    'packages/server/src/feature.ts',
    'packages/server/src/ports',
    'packages/server/src/sandbox',
    'packages/server/src/store',
    'packages/server/src/http',
    'packages/server/src/tools/define-tool',
    'node:',
    'fastify',
    'zod',
  ],
  'packages/server/src/skills': [
    'packages/protocol',
    'packages/server/src/agents/agent-version',
    'packages/server/src/feature.ts',
    'packages/server/src/ports',
    'packages/server/src/sandbox',
    'packages/server/src/http',
    'packages/server/src/foreign',
    'packages/server/src/tools/define-tool',
    'packages/server/src/tools/catalog',
    'packages/server/src/tools/listed-tool',
    'packages/server/src/tools/safe-tool-name',
    'packages/server/src/workspace/files',
    'node:',
    'fastify',
    'yaml',
    'zod',
  ],
  'packages/server/src/agents': [
    'packages/protocol',
    'packages/server/src/words',
    'packages/server/src/feature.ts',
    'packages/server/src/auth/principal',
    'packages/server/src/auth/seal',
    'packages/server/src/config/options',
    'packages/server/src/config/json-error-place',
    'packages/server/src/configured-hosts',
    'packages/server/src/confirm',
    'packages/server/src/http',
    'packages/server/src/ports',
    'packages/server/src/store',
    'packages/server/src/tools',
    'packages/server/src/write-private-file',
    'node:',
    'fastify',
    'pino',
    'yaml',
    'zod',
  ],
  'packages/server/src/feedback': [
    'packages/protocol',
    'packages/server/src/feature.ts',
    'packages/server/src/store',
    'packages/server/src/http',
    'packages/server/src/words',
    'fastify',
  ],
  'packages/server/src/crash': [
    'packages/protocol',
    'packages/server/src/feature.ts',
    'packages/server/src/http',
    'packages/server/src/models/demo/model',
    'packages/server/src/store',
    'packages/server/src/words',
    'fastify',
    'zod',
  ],
  'packages/server/src/suggestions': [
    'packages/protocol',
    'packages/server/src/feature.ts',
    'packages/server/src/ports',
    'packages/server/src/confirm/hosts-in-text',
    'packages/server/src/store',
    'packages/server/src/http',
    'fastify',
  ],
  'packages/agent/src': ['packages/protocol', 'packages/server/in-process', 'node:crypto', 'node:path', 'node:util'],
  'packages/client/src': ['packages/protocol', 'socket.io-client'],
  'packages/client/src/rest': ['packages/protocol', 'packages/client/src/resolve-options'],
  'packages/client/src/connection': ['packages/protocol', 'packages/client/src/resolve-options', 'socket.io-client'],
  'packages/client/src/session': [
    'packages/protocol',
    'packages/client/src/ports',
    'packages/client/src/resolve-options',
    'packages/client/src/rest',
    'packages/client/src/connection',
  ],
  'packages/client/src/api': [
    'packages/protocol',
    'packages/client/src/ports',
    'packages/client/src/rest',
    'packages/client/src/session',
  ],
  'packages/agent-kit/src': ['packages/client', 'packages/chatkit', 'packages/protocol', 'react', 'zustand'],
  'packages/chatkit/src': [
    'packages/protocol',
    'packages/client',
    'packages/chatkit/math-font',
    'packages/chatkit/mermaid',
    'react',
    'marked',
    'lowlight',
    'highlight.js',
    'katex',
    'echarts',
  ],
}

test.each(Object.entries(mayImport))('%s sees only its own layer', (layer, others) => {
  const strangers = importsOf(layer).filter(({ to }) => ![layer, ...others].some((name) => to.startsWith(name)))
  expect(strangers.map(({ from, to }) => `${from} -> ${to}`)).toEqual([])
})

test('every folder of the server has a row', () => {
  const folders = readdirSync(join(root, 'packages/server/src'), { withFileTypes: true })
  const named = folders.filter((entry) => entry.isDirectory()).map(({ name }) => `packages/server/src/${name}`)
  expect(named.filter((folder) => !mayImport[folder])).toEqual([])
})

test('no face sees another, and only faces.ts and in-process see any', () => {
  const server = 'packages/server/src'
  const faceOf = (path: string) => new RegExp(`^${server}/faces/([^/]+)/`).exec(path)?.[1]
  const strangers = importsOf(server).filter(({ from, to }) => faceOf(to) && faceOf(to) !== faceOf(from))
  const mayLook = (from: string) => from === `${server}/faces.ts` || from.startsWith(`${server}/in-process/`)
  expect(strangers.filter(({ from }) => !mayLook(from))).toEqual([])
})

test('nothing but main.ts sees both a face and the store’s engines', () => {
  const faces = importsOf('packages/server/src/faces').filter(({ to }) => /store\/(sqlite|postgres)\//.test(to))
  expect(faces).toEqual([])
})

function importsOf(layer: string): { from: string; to: string }[] {
  const files = globSync(`${layer}/**/*.{ts,tsx}`, { cwd: root }).filter((file) => !/\.test\.tsx?$/.test(file))
  return files.flatMap((from) =>
    [...readFileSync(join(root, from), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^'\s]+)'/g)].map(([, name]) => ({
      from,
      to: resolveName(from, name!),
    })),
  )
}

function resolveName(from: string, name: string): string {
  if (name.startsWith('@parley/')) return `packages/${name.slice('@parley/'.length)}`
  return name.startsWith('.') ? relative(root, join(root, dirname(from), name)) : name
}
