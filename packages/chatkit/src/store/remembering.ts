import type { StoreGround } from './store-ground.ts'
import { type Remembered, tabMemory, type TabMemory } from './tab-memory.ts'

export type Remembering = {
  /** What this tab was doing before the page was loaded; from now on changes are kept. `''`: nothing. */
  begin: () => string
  /** The conversation is open, or stays closed for now: the state says which one it is. */
  opened: () => void
  /** It is not there, or not this visitor's: neither is what was being written in it. */
  forget: () => void
  end: () => void
}

/** Keeps the shown conversation and the text box over a reload, per tab. */
export function createRemembering({ getSnapshot, dispatch, subscribe, options }: StoreGround): Remembering {
  const { adapter, remember: name, conversationID } = options
  let memory: TabMemory | null = null
  /** On its way: the state does not have it yet, and a second reload must not lose it. */
  let awaited = ''
  let written: Remembered | null = null
  let draft = ''
  let stop = () => {}

  const write = () => {
    const { conversationID: shown, textInput } = getSnapshot()
    const id = adapter.history ? awaited || shown : ''
    if (written?.conversationID === id && written.textInput === textInput) return
    written = { conversationID: id, textInput }
    memory?.write(written)
  }

  return {
    begin() {
      if (memory || name === undefined) return ''
      memory = tabMemory(name)
      const kept = memory.read()
      const isOther = conversationID !== '' && conversationID !== kept.conversationID
      awaited = conversationID === '' && adapter.history ? kept.conversationID : ''
      draft = isOther || getSnapshot().textInput !== '' ? '' : kept.textInput
      if (draft) dispatch({ type: 'input:write', text: draft })
      stop = subscribe(write)
      return awaited
    },
    opened() {
      awaited = ''
      write()
    },
    forget() {
      awaited = ''
      if (draft && getSnapshot().textInput === draft) dispatch({ type: 'input:write', text: '' })
      write()
    },
    end() {
      stop()
      memory?.release()
    },
  }
}
