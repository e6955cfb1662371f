import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SYSTEM_PATH } from '../../sandbox/sandbox.ts'

/** A language that programs may be written in here. */
export type ProgramLanguage = {
  /** Of the sub-agent's tool that runs it. */
  tool: string
  name: string
  ending: string
  /** What to start, in the sandbox. */
  command: (path: string) => [file: string, ...args: string[]]
}

const javascript: ProgramLanguage = {
  tool: 'execute_javascript_code_by_path',
  name: `JavaScript (Node.js ${process.versions.node.split('.')[0]})`,
  ending: '.mjs',
  // Less than the sandbox gives, so that a program that needs more says so itself.
  command: (path) => [process.execPath, '--max-old-space-size=600', path],
}

const python: ProgramLanguage = {
  tool: 'execute_python_code_by_path',
  name: 'Python 3',
  ending: '.py',
  command: (path) => ['python3', '-B', '-X', 'utf8', path],
}

/** JavaScript always: what runs the server runs it. Python where the system has it, for that is all the sandbox sees. */
export function languagesHere(path = SYSTEM_PATH): readonly ProgramLanguage[] {
  const hasPython = path.split(':').some((directory) => existsSync(join(directory, 'python3')))
  return hasPython ? [javascript, python] : [javascript]
}
