import type { Registry } from './registry.ts'

export type Step = { name: string; seconds: number; megabytes: number; clicks: number; keys: number }

/** What one step asks of a person. */
export type Effort = { clicks?: number; keys?: number }

export type Stopwatch = {
  /** Times `work`; what it returns is the person's part. */
  step: (name: string, work: () => Promise<Effort>) => Promise<void>
  steps: readonly Step[]
}

export function startStopwatch(registry: Registry): Stopwatch {
  const steps: Step[] = []
  return {
    steps,
    async step(name, work) {
      registry.sent()
      const since = performance.now()
      const { clicks = 0, keys = 0 } = await work()
      const seconds = (performance.now() - since) / 1_000
      const step = { name, seconds, megabytes: registry.sent().bytes / 1e6, clicks, keys }
      steps.push(step)
      process.stdout.write(`${line(step)}\n`)
    },
  }
}

export function total(name: string, steps: readonly Step[]): Step {
  const sum = (field: Exclude<keyof Step, 'name'>) => steps.reduce((all, step) => all + step[field], 0)
  return { name, seconds: sum('seconds'), megabytes: sum('megabytes'), clicks: sum('clicks'), keys: sum('keys') }
}

export const HEADER = '| | seconds | MB | clicks | keys |\n| --- | --- | --- | --- | --- |'

export function line({ name, seconds, megabytes, clicks, keys }: Step): string {
  return `| ${name} | ${seconds.toFixed(1)} | ${megabytes.toFixed(1)} | ${clicks} | ${keys} |`
}
