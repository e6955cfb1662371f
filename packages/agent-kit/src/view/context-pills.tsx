import { useUiBridgeStore } from '../sessions/ui-bridge-store.ts'
import { useView } from './view-context.ts'

/** What the next message is about, as given by the page. */
export function ContextPills() {
  const { sessionId, texts } = useView()
  const contexts = useUiBridgeStore((state) => state.pendingContextsBySession[sessionId]!)
  const remove = useUiBridgeStore((state) => state.removePendingContext)
  if (contexts.length === 0) return null
  return (
    <ul className="ak-pills">
      {contexts.map(({ id, label, content }) => (
        <li key={id} className="ck-chip" title={content}>
          <span className="ck-chip-text">{label}</span>
          <button
            type="button"
            className="ck-icon-button ak-remove"
            aria-label={`${texts.removeContext}: ${label}`}
            onClick={() => remove(sessionId, id)}
          />
        </li>
      ))}
    </ul>
  )
}
