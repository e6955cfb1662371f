/** Options that every command understands. */
export const commonOptions = {
  url: { type: 'string' },
  key: { type: 'string' },
  'data-dir': { type: 'string' },
  json: { type: 'boolean', default: false },
} as const
