/** What the folders of one directory are. */
export type FolderKind = {
  /** In sentences. */
  noun: string
  isName: (name: string) => boolean
  /** What names may be made of, for people. */
  characters: string
  /** The name under which versions of such a folder are stored. */
  storedAs: (name: string) => string
}

export const AGENTS: FolderKind = {
  noun: 'an agent',
  isName: (name) => /^[a-z0-9][a-z0-9-]{0,63}$/.test(name),
  characters: 'small letters, digits and -, 64 at most',
  storedAs: (name) => name,
}

/** Before the id of a solution, where versions of agents and of solutions lie together. No agent's name begins so. */
const SOLUTION = 'solution/'

export const SOLUTIONS: FolderKind = {
  noun: 'a solution',
  isName: (name) => /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name),
  characters: 'small letters, digits, _ and -, 64 at most',
  storedAs: (id) => `${SOLUTION}${id}`,
}

/** The id of the solution whose versions are stored under this name; `null`: it is an agent's. */
export function solutionIdOf(stored: string): string | null {
  return stored.startsWith(SOLUTION) ? stored.slice(SOLUTION.length) : null
}
