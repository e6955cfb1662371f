/** What a server leaves in its data directory for programs of the same user on its machine. */
export const LOCAL_FILES = {
  /** A key of the owner. */
  key: 'owner.key',
  /** Who holds the directory, and where it listens. */
  holder: 'server.json',
} as const
