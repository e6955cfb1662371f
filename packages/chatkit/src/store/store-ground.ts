import type { OpenIO } from './adapter-io.ts'
import type { StateHolder } from './state-holder.ts'
import type { StoreOptions } from './store-options.ts'

/** What every part of the store stands on. */
export type StoreGround = StateHolder & {
  options: StoreOptions
  openIO: OpenIO
  /** Ends with the store. */
  signal: AbortSignal
}
