import { GUARD, OUTSIDE, RUN_SCRIPT } from './guard-script.ts'
import { type Limits, limitVariables, type Sandbox } from './sandbox.ts'

/** The command runs with the server's own rights; only its environment, its limits and its lease are kept. */
export function noSandbox(limits: Limits, path: string, reason: string): Sandbox {
  return {
    level: 'none',
    reason,
    wrap: ({ workspace, leaseMs, mark }) => {
      return {
        file: 'bash',
        args: ['-c', RUN_SCRIPT],
        cwd: workspace,
        env: {
          PATH: path,
          PARLEY_SCRIPT: `exec 2>&1\nlaunch=(env)\n${OUTSIDE}${GUARD}`,
          PARLEY_MARK: mark,
          ...limitVariables(limits, leaseMs),
        },
      }
    },
  }
}
