import { randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Controller, type Hierarchy, hierarchiesHere, prepareHierarchy } from './hierarchies.ts'
import type { Limits } from './sandbox.ts'

/** Processes that the kernel holds to limits together: those of one command. */
export type ControlGroup = {
  /** Opens what leads into it: who writes `0` there is in. The caller closes these descriptors. */
  openDoors(): number[]
  /** What was used up in it: memory, so that the kernel had to kill; or processes, so that it refused one. */
  ranOut(): 'memory' | 'processes' | undefined
  /** Kills whoever is still in it, and hands it back. */
  [Symbol.dispose](): void
}

/** In hundredths, what a whole command counts for beside one other program, when both want the processor. */
const CPU_WEIGHT = 50
/** With the process in it that made the group: only its death makes the group stale. */
const NAME = /^parley-(\d+)-[0-9a-f]+$/

/**
 * Control groups below the one that this process was put into: whoever limits the server limits its commands with it.
 * Groups are used again, because the kernel keeps a removed one for as long as anything that it read stays cached.
 */
export class ControlGroups implements Disposable {
  readonly #hierarchies: readonly Hierarchy[]
  readonly #limits: Limits
  readonly #made: string[] = []
  readonly #idle: string[] = []

  constructor(hierarchies: readonly Hierarchy[], limits: Limits) {
    this.#hierarchies = hierarchies
    this.#limits = limits
  }

  has(controller: Controller): boolean {
    return this.#hierarchies.some(({ controllers }) => controllers.includes(controller))
  }

  /** Throws when the kernel refuses one. */
  take(): ControlGroup {
    const ready = this.#idle.findIndex((idle) => this.#placesOf(idle).every(isEmpty))
    const [name = this.#make()] = ready < 0 ? [] : this.#idle.splice(ready, 1)
    const directories = this.#placesOf(name)
    const before = this.#failuresIn(name)
    return {
      openDoors: () => directories.map((directory) => openSync(join(directory, 'cgroup.procs'), 'w')),
      ranOut: () => {
        const now = this.#failuresIn(name)
        if (now.memory > before.memory) return 'memory'
        return now.processes > before.processes ? 'processes' : undefined
      },
      [Symbol.dispose]: () => {
        for (const pid of new Set(directories.flatMap(membersOf))) kill(pid)
        this.#idle.push(name)
      },
    }
  }

  [Symbol.dispose](): void {
    for (const directory of this.#made.flatMap((name) => this.#placesOf(name))) remove(directory)
  }

  #placesOf(name: string): string[] {
    return this.#hierarchies.map(({ directory }) => join(directory, name))
  }

  #make(): string {
    const name = newName()
    this.#made.push(name)
    for (const { directory, version, controllers } of this.#hierarchies) {
      mkdirSync(join(directory, name))
      for (const controller of controllers)
        for (const [file, value, isOptional] of settings(version, controller, this.#limits))
          try {
            writeFileSync(join(directory, name, file), value)
          } catch (error) {
            if (!isOptional) throw error
          }
    }
    return name
  }

  #failuresIn(name: string): { memory: number; processes: number } {
    const count = (controller: Controller, file: Record<1 | 2, string>, word: string) => {
      const found = this.#hierarchies.find(({ controllers }) => controllers.includes(controller))
      const text = found ? textOf(join(found.directory, name, file[found.version])) : ''
      return Number(new RegExp(`^${word} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
    }
    return {
      memory: count('memory', { 1: 'memory.oom_control', 2: 'memory.events' }, 'oom_kill'),
      processes: count('pids', { 1: 'pids.events', 2: 'pids.events' }, 'max'),
    }
  }
}

/** The groups that may be made here; `undefined` where the kernel, or whoever started us, allows none. */
export function openControlGroups(limits: Limits): ControlGroups | undefined {
  const usable = hierarchiesHere().filter((hierarchy) => {
    try {
      removeStale(hierarchy.directory)
      prepareHierarchy(hierarchy, newName())
      using trial = new ControlGroups([hierarchy], limits)
      for (const door of trial.take().openDoors()) closeSync(door)
      return true
    } catch {
      return false // not ours to change, as in most containers
    }
  })
  return usable.length > 0 ? new ControlGroups(usable, limits) : undefined
}

function settings(version: 1 | 2, controller: Controller, { memoryBytes, processes }: Limits) {
  const isOptional = true // for a kernel that does not count swap, or cannot kill a group as one
  const first: Record<Controller, [file: string, value: number, isOptional?: boolean][]> = {
    memory: [
      ['memory.limit_in_bytes', memoryBytes],
      ['memory.memsw.limit_in_bytes', memoryBytes, isOptional],
    ],
    pids: [['pids.max', processes]],
    cpu: [['cpu.shares', Math.round((1_024 * CPU_WEIGHT) / 100)]],
  }
  const second: typeof first = {
    memory: [
      ['memory.max', memoryBytes],
      ['memory.swap.max', 0, isOptional],
      ['memory.oom.group', 1, isOptional],
    ],
    pids: first.pids,
    cpu: [['cpu.weight', CPU_WEIGHT]],
  }
  const all = version === 1 ? first : second
  return all[controller].map(([file, value, optional]) => [file, String(value), optional ?? false] as const)
}

function newName(): string {
  return `parley-${process.pid}-${randomBytes(4).toString('hex')}`
}

/** Not while somebody is dying in it, who counts until its parent has taken notice. */
function isEmpty(directory: string): boolean {
  return textOf(join(directory, 'cgroup.procs')) === '' && Number(textOf(join(directory, 'pids.current'))) === 0
}

function membersOf(directory: string): number[] {
  return textOf(join(directory, 'cgroup.procs')).split('\n').filter(Boolean).map(Number)
}

/** Empty when the group is gone: the sandbox was closed before its commands. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone by itself.
  }
}

/** Those of servers that are gone. */
function removeStale(directory: string): void {
  for (const name of readdirSync(directory)) {
    const pid = NAME.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) remove(join(directory, name))
  }
}

function remove(directory: string): void {
  try {
    rmdirSync(directory)
  } catch {
    // Somebody is still dying in it; a later start removes it.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
