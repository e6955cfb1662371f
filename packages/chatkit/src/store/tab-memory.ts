/** What a tab keeps of a chat over a reload: which conversation, and what was being written. Never a token, never a file. */
export type Remembered = { conversationID: string; textInput: string }

export type TabMemory = {
  read: () => Remembered
  write: (remembered: Remembered) => void
  /** Another chat may have the name now; what was kept stays. */
  release: () => void
}

const NOTHING: Remembered = { conversationID: '', textInput: '' }
const MAX_ID = 200
const MAX_TEXT = 20_000
const taken = new Set<string>()

/** The tab's own storage. Pages without one, and servers, remember nothing. */
export function tabMemory(name: string): TabMemory {
  const key = takeKey(`parley-chat ${name}`)
  return {
    read() {
      try {
        return shapeOf(JSON.parse(sessionStorage.getItem(key) ?? '{}'))
      } catch {
        return NOTHING
      }
    },
    write({ conversationID, textInput }) {
      try {
        if (conversationID === '' && textInput === '') sessionStorage.removeItem(key)
        else sessionStorage.setItem(key, JSON.stringify({ conversationID, textInput: textInput.slice(0, MAX_TEXT) }))
      } catch {
        // Full, or not allowed here: the next page starts afresh.
      }
    },
    release: () => taken.delete(key),
  }
}

/** The second chat of a name is the second one again after a reload: pages are built in the same order. */
function takeKey(name: string): string {
  let key = name
  for (let count = 2; taken.has(key); count++) key = `${name} ${count}`
  taken.add(key)
  return key
}

/** The page's other scripts write here too. */
function shapeOf(kept: unknown): Remembered {
  const { conversationID, textInput } = (kept ?? {}) as Record<string, unknown>
  return {
    conversationID: typeof conversationID === 'string' && conversationID.length <= MAX_ID ? conversationID : '',
    textInput: typeof textInput === 'string' ? textInput.slice(0, MAX_TEXT) : '',
  }
}
