export type { ServerOptions } from './config/options.ts'
export { start, type StartedServer } from './start.ts'
