import type { RestoreOrder } from '../store/run-options.ts'

/** Earlier states of workspaces, as far as runs need them. */
export type WorkspaceStates = {
  /** Whether there is anything to go back to: `false` when nothing has changed since. */
  has: (session_id: string, to: RestoreOrder['to']) => Promise<boolean>
  /** Keeps the state of now under a name, once. */
  keep: (session_id: string, name: string, signal: AbortSignal) => Promise<void>
  /** Makes the workspace what it was; may be begun again. `message`: why it could not be. */
  restore: (
    session_id: string,
    to: RestoreOrder['to'],
    signal: AbortSignal,
  ) => Promise<{ restored: true } | { restored: false; message: string }>
}
