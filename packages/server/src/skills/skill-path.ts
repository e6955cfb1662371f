const MAX_LENGTH = 200
const MAX_DEPTH = 8

/** Where a skill says which MCP servers it needs, with their tokens: never given to a model. */
export function isServersFile(path: string): boolean {
  return /^resources\/(?:mcp-config|mcp|[^/]+\.mcp)\.json$/.test(path)
}

/** Why this cannot be the path of a skill's file, or nothing. Good paths are relative, plain, and mean one thing everywhere. */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'is empty'
  if (path.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`
  if (/\p{Cc}/u.test(path)) return 'contains a control character'
  if (path.includes('\\')) return 'contains a backslash'
  if (path.startsWith('/') || /^[a-zA-Z]:/.test(path)) return 'is absolute'
  const parts = path.split('/')
  if (parts.length > MAX_DEPTH) return `lies deeper than ${MAX_DEPTH} folders`
  if (parts.some((part) => part === '..' || part === '.' || part === '')) return 'contains "..", "." or an empty part'
  return undefined
}
