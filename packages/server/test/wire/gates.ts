import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { defineTool, type ToolDefinition } from '../../src/tools/define-tool.ts'

/** Places where a tool waits for the test. */
export class Gates {
  readonly #gates = new Map<string, { reached: PromiseWithResolvers<void>; open: PromiseWithResolvers<string> }>()

  /** Resolves when a tool has come to this gate. */
  reached(name: string): Promise<void> {
    return this.#gate(name).reached.promise
  }

  /** Lets the tool go on, now or when it comes; it returns `result`. */
  open(name: string, result = `${name} done`): void {
    this.#gate(name).open.resolve(result)
  }

  async pass(name: string, signal: AbortSignal): Promise<string> {
    const { reached, open } = this.#gate(name)
    reached.resolve()
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const onAbort = () => reject(new Error('aborted'))
    signal.addEventListener('abort', onAbort)
    try {
      return await Promise.race([open.promise, aborted])
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  #gate(name: string) {
    const known = this.#gates.get(name)
    if (known) return known
    const gate = { reached: Promise.withResolvers<void>(), open: Promise.withResolvers<string>() }
    this.#gates.set(name, gate)
    return gate
  }
}

const named = z.object({ name: z.string() })

/** Tools that do what these tests need and nothing else. */
export function testTools(gates: Gates): ToolDefinition[] {
  return [
    defineTool({
      name: 'Bash',
      display_name: { zh: '执行命令', en: 'Run a command' },
      description: 'Pretends to run a command.',
      provider: 'builtin',
      input: z.object({ command: z.string() }),
      run: async ({ command }, { env }) => (command === 'env' ? JSON.stringify(env) : `total 48\nran ${command}`),
    }),
    defineTool({
      name: 'Look',
      display_name: { zh: '查看', en: 'Look' },
      description: 'Changes nothing; waits at a gate.',
      provider: 'builtin',
      readOnly: true,
      replay: 'safe',
      input: named,
      run: ({ name }, { signal }) => gates.pass(name, signal),
    }),
    defineTool({
      name: 'Work',
      display_name: { zh: '工作', en: 'Work' },
      description: 'Changes something; waits at a gate.',
      provider: 'builtin',
      input: named,
      run: ({ name }, { signal }) => gates.pass(name, signal),
    }),
    defineTool({
      name: 'Deaf',
      display_name: { zh: '不听', en: 'Deaf' },
      description: 'Does not listen when it is told to stop.',
      provider: 'builtin',
      input: named,
      async run({ name }) {
        void gates.pass(name, new AbortController().signal)
        await delay(30_000, undefined, { ref: false })
        return 'too late'
      },
    }),
    defineTool({
      name: 'Break',
      display_name: { zh: '失败', en: 'Break' },
      description: 'Always fails.',
      provider: 'builtin',
      readOnly: true,
      input: z.object({ why: z.string() }),
      async run({ why }): Promise<string> {
        throw new Error(`it broke: ${why}`)
      },
    }),
  ]
}
