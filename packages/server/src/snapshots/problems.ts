/** Why there is no state to go back to. */
export const PROBLEMS = {
  too_many_files: 'The workspace had too many files to keep its state.',
  too_large: 'The workspace was too large to keep its state.',
  too_deep: 'The workspace had directories too deep to keep its state.',
  no_space: 'There was no space left to keep the state of the workspace.',
  failed: 'The state of the workspace could not be kept.',
  dropped: 'That state of the workspace was given up to make room for newer ones.',
  gone: 'That state of the workspace is gone.',
} as const

export type Problem = keyof typeof PROBLEMS

/** Found while a state is taken. */
export class StateProblem extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(PROBLEMS[problem])
    this.problem = problem
  }
}

export function problemOf(error: unknown): Problem {
  if (error instanceof StateProblem) return error.problem
  const { code } = error as NodeJS.ErrnoException
  if (code === 'payload_too_large') return 'too_many_files'
  return code === 'ENOSPC' || code === 'EDQUOT' ? 'no_space' : 'failed'
}
