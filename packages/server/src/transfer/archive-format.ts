/** What an archive of a session calls itself. A server reads what is no newer than its own. */
export const FORMAT = 'parley-session'
export const FORMAT_VERSION = 1

/** The files of an archive. */
export const MANIFEST = 'manifest.json'
export const SESSION = 'session.json'
export const TURNS = 'turns.jsonl'
export const HISTORY = 'history.jsonl'
export const WORKSPACE = 'workspace/'
