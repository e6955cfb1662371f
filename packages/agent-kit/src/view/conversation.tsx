import { joinClasses, MessageList, useChatState } from '@parley/chatkit'
import { useSessionState } from '../sessions/use-session-state.ts'
import { useInitialMessage } from './use-initial-message.ts'
import { useView } from './view-context.ts'

/** The messages; before there are any, what stands in their place. */
export function Conversation() {
  const { classNames } = useView()
  const isEmpty = useChatState(({ messages }) => messages.length === 0)
  return (
    <div className={joinClasses('ak-list-root', classNames.messageListRoot)}>
      <div className={joinClasses('ak-list-content', classNames.messageListContent)}>
        {isEmpty ? <Empty /> : <MessageList className={classNames.messageListInner ?? ''} />}
      </div>
    </div>
  )
}

/** Nothing until it is known that the session is empty. */
function Empty() {
  const { client, sessionId, texts, classNames, components } = useView()
  const isReady = useSessionState(client, sessionId, (state) => state.isReady && state.turns.length === 0)
  const initial = useInitialMessage({ client, sessionId, isWanted: isReady === true })
  if (!isReady || initial === undefined) return null
  const Own = components.EmptyState
  const text = initial ?? texts.empty
  return (
    <div className={joinClasses('ak-empty', classNames.emptyState)}>
      {Own ? <Own sessionId={sessionId}>{text}</Own> : <p>{text}</p>}
    </div>
  )
}
