import { type FSWatcher, watch } from 'node:fs'

/** Directories that are watched; those beyond it are only looked at now and then. */
const MAX_WATCHED = 1_000

/** Tells of changes in directories, quickly but not reliably: whoever uses it also looks now and then. */
export class DirectoryWatch implements Disposable {
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #onChange: (directory: string) => void

  constructor(onChange: (directory: string) => void) {
    this.#onChange = onChange
  }

  /** From now on exactly these. Not `recursive`: Node would watch every file, `node_modules` included. */
  set(directories: readonly string[]): void {
    const wanted = new Set(directories.slice(0, MAX_WATCHED))
    for (const directory of this.#watchers.keys()) if (!wanted.has(directory)) this.#forget(directory)
    for (const directory of wanted) if (!this.#watchers.has(directory)) this.#watch(directory)
  }

  [Symbol.dispose](): void {
    for (const directory of this.#watchers.keys()) this.#forget(directory)
  }

  #watch(directory: string): void {
    try {
      const watcher = watch(directory, { persistent: false }, () => this.#onChange(directory))
      watcher.on('error', () => this.#forget(directory))
      this.#watchers.set(directory, watcher)
    } catch {
      // Gone already, or the system has no watches left.
    }
  }

  #forget(directory: string): void {
    this.#watchers.get(directory)?.close()
    this.#watchers.delete(directory)
  }
}
