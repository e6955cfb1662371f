import type { PatchMode } from '@parley/protocol'
import type { Encoding } from './encoding.ts'
import { compat } from './compat-encoder.ts'
import { delta } from './delta-encoder.ts'
import type { Shown } from './shown.ts'
import { sync } from './sync-encoder.ts'

/** How patches are sent, by the name that clients ask for. */
export const ENCODINGS: Readonly<Record<PatchMode, Encoding<Shown>>> = { delta, compat, sync }
