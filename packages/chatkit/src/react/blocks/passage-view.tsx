import { useEffect, useRef, useState } from 'react'
import { toChatKitError, type ChatKitError } from '../../model/chat-kit-error.ts'
import type { Source, SourcePassage } from '../../model/display-blocks.ts'
import { useKit } from '../kit/kit-context.ts'
import { failureText } from '../texts/failure-text.ts'

/** A passage where it stands in its document: marked, in view, with the text around it. */
export function PassageView({ source }: { source: Source }) {
  const { texts } = useKit().options
  const { passage, error, retry } = usePassage(source.id!)
  return (
    <>
      <p className="ck-muted" dir="auto">
        {[source.media, ...(source.headings ?? [])].filter(Boolean).join(' › ')}
      </p>
      {passage ? <Document passage={passage} title={source.title} /> : null}
      <p role="status" className="ck-muted" hidden={passage !== undefined}>
        {error ? explain(error) : texts.loading}
      </p>
      {error && error.code !== 'not_found' ? (
        <p>
          <button type="button" className="ck-button" onClick={retry}>
            {texts.retry}
          </button>
        </p>
      ) : null}
    </>
  )

  function explain(failure: ChatKitError): string {
    return failure.code === 'not_found' ? texts.sourceGone : failureText(failure, texts)
  }
}

function Document({ passage: { before, passage, after }, title }: { passage: SourcePassage; title: string }) {
  const place = useRef<HTMLDivElement>(null)
  const mark = useRef<HTMLElement>(null)
  useEffect(() => {
    // Not scrollIntoView: that would move the page around the kit, too.
    const [text, body] = [mark.current, place.current?.parentElement]
    if (text && body) body.scrollTop = text.offsetTop - body.offsetTop - body.clientHeight / 4
  }, [])
  return (
    // With the keyboard, what has the focus is what scrolls.
    <div ref={place} className="ck-passage" role="region" aria-label={title} tabIndex={0} dir="auto">
      <span className="ck-muted">{before}</span>
      <mark ref={mark}>{passage}</mark>
      <span className="ck-muted">{after}</span>
    </div>
  )
}

type Loaded = { passage?: SourcePassage; error?: ChatKitError }

function usePassage(sourceID: string): Loaded & { retry: () => void } {
  const { store } = useKit()
  const [attempt, setAttempt] = useState(0)
  const [loaded, setLoaded] = useState<Loaded>({})
  useEffect(() => {
    const left = new AbortController()
    const show = (result: Loaded) => {
      if (!left.signal.aborted) setLoaded(result)
    }
    const { conversationID } = store.getSnapshot()
    const asked = store.adapter.openSource?.({ conversationID, sourceID }, store.openIO(left.signal))
    asked?.then(
      (passage) => show({ passage }),
      (error: unknown) => show({ error: toChatKitError(error) }),
    )
    return () => left.abort()
  }, [store, sourceID, attempt])
  const retry = () => {
    setLoaded({})
    setAttempt(attempt + 1)
  }
  return { ...loaded, retry }
}
