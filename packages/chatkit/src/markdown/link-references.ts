import type { Links } from 'marked'

/** Addresses that a text defines below their use: `[text][label]` … `[label]: https://…`. */
export class LinkReferences {
  readonly links: Links = Object.create(null)
  readonly #users = new Map<string, Set<number>>()
  readonly #seen = new Set<string>()

  get isEmpty(): boolean {
    return this.#seen.size === 0
  }

  /** For reading text that may still change: what it defines is forgotten with it. */
  draft(): Links {
    return Object.assign(Object.create(null), this.links)
  }

  /** Remembers that a finished block names labels which may be defined later. */
  use(source: string, block: number): void {
    if (!source.includes('[')) return
    for (const [, label = ''] of source.matchAll(/\[([^[\]]{1,200})\]/g)) {
      const key = normalise(label)
      if (key in this.links) continue
      const users = this.#users.get(key) ?? new Set()
      this.#users.set(key, users.add(block))
    }
  }

  /** The blocks whose labels were defined since the last call. */
  takeResolved(): number[] {
    const labels = Object.keys(this.links).filter((label) => !this.#seen.has(label))
    const resolved = new Set<number>()
    for (const label of labels) {
      this.#seen.add(label)
      for (const block of this.#users.get(label) ?? []) resolved.add(block)
      this.#users.delete(label)
    }
    return [...resolved].sort((a, b) => a - b)
  }
}

/** As marked compares labels. */
const normalise = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase().toLowerCase()
