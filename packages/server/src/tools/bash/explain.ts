import type { GuardedEnd } from '../../sandbox/run-guarded.ts'

/** What happened to a command that did not end well, for the model and for the record; `null` when it did. */
export function explain(end: GuardedEnd): string | null {
  switch (end.by) {
    case 'exit':
      return end.code === 0 ? null : `Exit code ${end.code}.`
    case 'processes':
      return 'Killed: it started too many processes.'
    case 'memory':
      return 'Killed: it used too much memory.'
    case 'killed':
      return 'Killed.'
    case 'silent':
      return 'Killed: the server stood still.'
    case 'guard':
      return 'The command could not be run.'
  }
}
