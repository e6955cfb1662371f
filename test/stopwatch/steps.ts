import type { Registry } from './registry.ts'

export type Step = { name: string } & Record<Figure, number>

type Figure = 'seconds' | 'megabytes' | 'packages' | 'clicks' | 'keys'

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
      const { bytes, packages } = registry.sent()
      const step = { name, seconds, megabytes: bytes / 1e6, packages, clicks, keys }
      steps.push(step)
      process.stdout.write(`${line(step)}\n`)
    },
  }
}

export function total(name: string, steps: readonly Step[]): Step {
  const sum = (figure: Figure) => steps.reduce((all, step) => all + step[figure], 0)
  return {
    name,
    seconds: sum('seconds'),
    megabytes: sum('megabytes'),
    packages: sum('packages'),
    clicks: sum('clicks'),
    keys: sum('keys'),
  }
}

export const HEADER = '| | seconds | MB | packages | clicks | keys |\n| --- | --- | --- | --- | --- | --- |'

export function line({ name, seconds, megabytes, packages, clicks, keys }: Step): string {
  return `| ${name} | ${seconds.toFixed(1)} | ${megabytes.toFixed(1)} | ${packages} | ${clicks} | ${keys} |`
}
