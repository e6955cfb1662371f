import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { SkillSummary } from '@parley/protocol'
import type { ToolContext } from '../../../src/tools/define-tool.ts'
import { noSandbox } from '../../../src/sandbox/no-sandbox.ts'
import { LIMITS } from '../../../src/sandbox/sandbox.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import { PythonTools } from '../../../src/skills/skill-functions.ts'
import { SkillServices } from '../../../src/skills/skill-services.ts'
import { Skills } from '../../../src/skills/skills.ts'
import type { ToolOwner } from '../../../src/tools/catalog.ts'

/** A session of no agent. */
export const owner = (session_id: string): ToolOwner => ({ session_id, agent: null })

/** Skills on a real disk: a configured directory, a data directory and a workspace. */
export class Rig implements AsyncDisposable {
  readonly home: string
  readonly directory: string
  readonly workspace: string
  readonly warnings: string[] = []
  readonly changes: { session_id: string; skills: SkillSummary[] }[] = []
  readonly skills: Skills
  /** Milliseconds; the configured directory is looked at again as this goes on. */
  now = 0

  private constructor(home: string) {
    this.home = home
    this.directory = join(home, 'configured')
    this.workspace = join(home, 'workspace')
    this.skills = this.open()
  }

  static async open(): Promise<Rig> {
    const rig = new Rig(await mkdtemp(join(tmpdir(), 'parley-skills-')))
    await mkdir(rig.directory)
    await mkdir(rig.workspace)
    return rig
  }

  /** As another instance, or this one after a restart, sees them. */
  open(directories = [this.directory]): Skills {
    const sandbox = noSandbox({ limits: LIMITS, groups: undefined, path: '', reason: 'a test' })
    return new Skills({
      directories,
      root: join(this.home, 'data'),
      language: 'en',
      workspace: async () => this.workspace,
      python: new PythonTools({ sandbox, leaseMs: 1_000, directory: this.home }),
      services: new SkillServices(createEgress()),
      isTaken: () => false,
      now: () => this.now,
      onWarning: (message) => this.warnings.push(message),
      onChanged: (session_id, skills) => this.changes.push({ session_id, skills }),
    })
  }

  async write(path: string, content: string): Promise<void> {
    const target = join(this.directory, path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, content)
    this.now += 10_000
  }

  async call(name: string, session_id = 'sess_1'): Promise<string> {
    const tool = (await this.skills.skillsOf(owner(session_id))).find((each) => each.name === name)
    if (!tool) throw new Error(`There is no tool ${name}.`)
    const { result } = await tool.run({}, this.context())
    return result as string
  }

  context(): ToolContext {
    return {
      session_id: 'sess_1',
      tool_call_id: 'call_1',
      attempt: 1,
      subject: null,
      workspace: this.workspace,
      env: {},
      signal: new AbortController().signal,
      notify: () => undefined,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.home, { recursive: true, force: true })
  }
}

export function skillText(name: string, body = 'Do it well.', more = ''): string {
  return `---\nname: ${name}\ndescription: What ${name} is good for.\n${more}---\n${body}\n`
}
