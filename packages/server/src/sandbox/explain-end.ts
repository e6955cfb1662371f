import type { GuardedEnd } from './run-guarded.ts'

/** What happened to a command that did not end well, for the model and for the record; `null` when it did. */
export function explain(end: GuardedEnd, given: { timeLimitMs: number; isReadOnly: boolean }): string | null {
  switch (end.by) {
    case 'exit':
      if (end.code === 0) return null
      return given.isReadOnly
        ? `Exit code ${end.code}. There is no room left in the workspace or on the disk: commands may read and delete, but not write.`
        : `Exit code ${end.code}.`
    case 'processes':
      return 'Killed: it started too many processes.'
    case 'memory':
      return 'Killed: it used too much memory.'
    case 'disk':
      return 'Killed: its workspace grew beyond what it may hold.'
    case 'full':
      return 'Killed: the disk is nearly full.'
    case 'time':
      return `Killed after its time limit of ${given.timeLimitMs} ms.`
    case 'killed':
      return 'Killed.'
    case 'silent':
      return 'Killed: the server stood still.'
    case 'guard':
      return 'The command could not be run.'
  }
}
