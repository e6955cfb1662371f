import type { Reader } from '../words/reader.ts'
import { Rewording, type ToolNames } from '../words/rewording.ts'
import type { FeedSource } from './feed.ts'
import { SharedEncoders } from './shared-encoders.ts'

/** The journal for each kind of reader: in their language, and with what is meant for them. There are few kinds. */
export function feedSources(
  options: Pick<FeedSource, 'journal' | 'outcomeOf' | 'now'> & { toolNames: ToolNames },
): (reader: Reader) => FeedSource {
  const { toolNames, ...shared } = options
  const known = new Map<string, FeedSource>()
  return (reader) => {
    const key = `${reader.language} ${reader.audience} ${reader.mayDecide}`
    const found = known.get(key)
    if (found) return found
    const rewording = new Rewording(reader, toolNames)
    const source = { ...shared, rewording, encoders: new SharedEncoders() }
    known.set(key, source)
    return source
  }
}
