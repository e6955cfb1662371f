import type { PatchMode } from '@parley/protocol'
import type { Encoding } from '../../../feed/encoding.ts'
import { compat } from './compat.ts'
import { delta } from './delta.ts'
import type { Shown } from './shown.ts'
import { sync } from './sync.ts'

/** How patches are sent, by the name that clients ask for. */
export const ENCODINGS: Readonly<Record<PatchMode, Encoding<Shown>>> = { delta, compat, sync }
