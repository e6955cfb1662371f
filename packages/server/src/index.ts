export type { GivenOptions as ServerOptions } from './config/options.ts'
export { serve, type ServeSettings } from './serve.ts'
export { start, type StartedServer } from './start.ts'
