import { joinClasses, resolveLocale } from '@parley/chatkit'
import { useBladeClient } from '../app/blade-client-provider.tsx'
import type { ChatViewProps } from './chat-view-props.ts'
import { SessionChat } from './session-chat.tsx'
import { viewTexts } from './texts.ts'
import { useOwnSession } from './use-own-session.ts'

/** [W14.6] A whole chat with one session. Fills a flex parent that has `min-height: 0`. */
export function ChatView({ sessionId: given, ...props }: ChatViewProps) {
  const client = useBladeClient()
  const { sessionId, error, retry } = useOwnSession(client, given)
  if (sessionId) return <SessionChat key={sessionId} {...props} client={client} sessionId={sessionId} />
  const texts = viewTexts(resolveLocale(props.locale))
  const { theme = 'system', classNames = {} } = props
  return (
    <div
      className={joinClasses('ck-root ak-view', classNames.root)}
      data-theme={theme === 'system' ? 'auto' : theme}
      role="region"
      aria-label={texts.chat}
    >
      {error ? (
        <p className={joinClasses('ck-banner ck-error', classNames.errorMessage)} role="alert">
          {texts.notCreated}{' '}
          <button type="button" className="ck-button" onClick={retry}>
            {texts.retry}
          </button>
        </p>
      ) : (
        <p className="ck-banner" role="status">
          {texts.creating}
        </p>
      )}
    </div>
  )
}
