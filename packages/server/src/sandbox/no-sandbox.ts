import { GUARD, OUTSIDE, RUN_SCRIPT } from './guard-script.ts'
import type { ControlGroups } from './control-groups.ts'
import { type Limits, limitVariables, realLimits, type Sandbox } from './sandbox.ts'

export type NoSandboxOptions = {
  limits: Limits
  groups: ControlGroups | undefined
  /** Where commands find programs. */
  path: string
  reason: string
}

/** The command runs with the server's own rights; only its environment, its limits and its lease are kept. */
export function noSandbox({ limits, groups, path, reason }: NoSandboxOptions): Sandbox {
  return {
    level: 'none',
    reason,
    limits: realLimits(groups, true),
    bounds: limits,
    groups,
    wrap: ({ workspace, leaseMs, mark }) => {
      return {
        file: 'bash',
        args: ['-c', RUN_SCRIPT],
        cwd: workspace,
        env: {
          PATH: path,
          PARLEY_SCRIPT: `exec 2>&1\nlaunch=(env)\n${OUTSIDE}${GUARD}`,
          PARLEY_MARK: mark,
          ...limitVariables(limits, leaseMs, groups),
        },
      }
    },
  }
}
