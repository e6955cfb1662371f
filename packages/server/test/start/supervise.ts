import { join } from 'node:path'
import { type NodeProcess, startNode } from '@parley/testkit'
import type { Pace } from '../../src/supervise/back-off.ts'
import { environment, MAIN } from './home.ts'

type Surroundings = { home: string; env?: Record<string, string>; pace?: Pace }

const ENTRY = join(import.meta.dirname, 'supervisor.ts')

/** A small program under a real supervisor. */
export function superviseText(text: string, { home, env = {}, pace }: Surroundings): NodeProcess {
  const program = { command: process.execPath, args: ['--input-type=module', '-e', text] }
  return startNode(ENTRY, [], {
    env: {
      ...{ PROGRAM: JSON.stringify(program), PARLEY_LANGUAGE: 'en', ...env },
      ...(pace && { PACE: JSON.stringify(pace) }),
    },
    cwd: home,
  })
}

/** The server as it was built, under a real supervisor. */
export function superviseServer({ home, env = {}, pace }: Surroundings): NodeProcess {
  const program = { command: process.execPath, args: [MAIN] }
  return startNode(ENTRY, [], {
    env: {
      ...environment(home),
      ...{ PROGRAM: JSON.stringify(program), PARLEY_LANGUAGE: 'en', OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '', ...env },
      ...(pace && { PACE: JSON.stringify(pace) }),
    },
    cwd: home,
  })
}
