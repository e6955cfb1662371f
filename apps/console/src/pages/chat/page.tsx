import { type ChatMessage, ChatKitView, RoleType, useChatState } from '@parley/chatkit'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { useSeenMark } from '../../data/live/seen-mark.ts'
import { sessionQuery, rereadSessions } from '../../data/sessions.ts'
import { usePreferences } from '../../data/preferences.ts'
import { takeOversQuery } from '../../data/take-overs.ts'
import { routes } from '../../routes.ts'
import { Frame } from '../../shell/frame.tsx'
import { useLanguage, useWords } from '../../texts/language.ts'
import { useTheme } from '../../theme/theme-choice.ts'
import { Failure } from '../../ui/states.tsx'
import { type Choice, MAX_LENGTH, nameChat, openChat } from './chats.ts'
import { ChoiceContext, ComposerTools } from './composer-tools.tsx'
import { useFacts } from './facts.ts'
import { nextStep, useFirstSteps } from './first-steps.ts'
import { GoBack } from './go-back/go-back.tsx'
import { usePanel } from './panel/use-panel.ts'
import { SessionBar } from './session-bar.tsx'
import { SessionList } from './session-list.tsx'
import { useSurviving } from './survive/surviving.ts'
import { TakeOverLine } from './take-over-line.tsx'
import { chatWords } from './words.ts'

/** A conversation: `/` is one that has not begun. */
export function ChatPage() {
  const { id = '' } = useParams<{ id?: string }>()
  const [path] = useLocation()
  const shows = path === routes.sessions() ? 'list' : 'sheet'
  return (
    <Frame list={<SessionList current={id || undefined} />} shows={shows}>
      <Conversation key={id || 'new'} id={id} />
    </Frame>
  )
}

const loadNewcomer = () => import('./newcomer.ts')
const FirstSteps = lazy(async () => ({ default: (await loadNewcomer()).FirstSteps }))
const NextStep = lazy(async () => ({ default: (await loadNewcomer()).NextStep }))
const CrashPanel = lazy(async () => ({ default: (await loadNewcomer()).CrashPanel }))
const SidePanel = lazy(async () => ({ default: (await import('./panel/panel.tsx')).SidePanel }))

const COMPONENTS = { Header: AboveConversation, Onboarding: EmptyChat, SendButton: ComposerTools }
const SECURITY = { cardFrame: '/chat/card' }

function Conversation({ id }: { id: string }) {
  const words = useWords(chatWords)
  const language = useLanguage()
  const theme = useTheme()
  const [{ store, choice }] = useState(() => openChat(id))
  const [chosen, setChosen] = useState<Choice>(choice)
  const { data: session, error } = useQuery({ ...sessionQuery(id), enabled: id !== '' })
  useSeenMark(session)
  const afterMessage = useAfterMessage(id, session?.last_event_seq ?? 0)
  const { send } = usePreferences()
  const { panel } = usePanel()
  const texts = useMemo(() => ({ placeholder: words.composer, disclaimer: words.hints[send] }), [words, send])
  const sheet = useRef<HTMLDivElement>(null)
  // Not where that would open a keyboard over the conversation.
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) sheet.current?.querySelector<HTMLElement>('.ck-composer-text')?.focus()
  }, [])
  const choose = (change: Partial<Choice>) => setChosen({ ...Object.assign(choice, change) })
  if (error && !session) return <Failure error={error} />
  return (
    <ChoiceContext value={{ chosen, choose, isNew: id === '' }}>
      {session ? <SessionBar session={session} /> : null}
      <div className="relative flex min-h-0 grow">
        <div ref={sheet} className="min-w-0 grow">
          <ChatKitView
            store={store}
            mode="assistant"
            theme={theme}
            locale={language === 'zh' ? 'zh-CN' : 'en'}
            title={session?.intent || words.new}
            texts={texts}
            disclaimer={words.hints[send]}
            maxLength={MAX_LENGTH}
            security={SECURITY}
            components={COMPONENTS}
            enableHistory={false}
            showAuthors={false}
            ownMessages="end"
            editable={false}
            sendWith={send}
            renderAfterMessage={afterMessage}
          />
        </div>
        {session && panel ? (
          <Suspense>
            <SidePanel id={session.id} />
          </Suspense>
        ) : null}
      </div>
    </ChoiceContext>
  )
}

/** Below each message: the way back to it, and who carried on from there. */
function useAfterMessage(id: string, head: number): (message: ChatMessage) => ReactNode {
  const { data: takeOvers } = useQuery(takeOversQuery(id, head))
  return useCallback(
    (message) => (
      <>
        {message.role.type === RoleType.User ? <GoBack message={message} /> : null}
        {takeOvers
          ?.filter(({ turn_id }) => turn_id === message.messageID)
          .map((takeOver) => (
            <TakeOverLine key={takeOver.event_seq} session_id={id} takeOver={takeOver} />
          ))}
      </>
    ),
    [id, takeOvers],
  )
}

/** The sheet has its own bar; here is what a newcomer needs beside it. Also knows when a conversation has become a session. */
function AboveConversation() {
  useFacts()
  const id = useChatState((state) => state.conversationID)
  const [path, go] = useLocation()
  useEffect(() => {
    if (!id || path !== routes.home) return
    nameChat(id)
    void rereadSessions()
    go(routes.session(id), { replace: true })
  }, [id, path, go])
  const isNewcomer = nextStep(useFirstSteps()) !== undefined
  const isSurviving = useSurviving()
  return (
    <Suspense>
      {isNewcomer ? <NextStep /> : null}
      {isSurviving ? <CrashPanel /> : null}
    </Suspense>
  )
}

/** What an empty conversation shows. One that exists may just not have been read yet: then nothing. */
function EmptyChat() {
  const words = useWords(chatWords)
  const { isNew } = useContext(ChoiceContext)
  const isNewcomer = nextStep(useFirstSteps()) !== undefined
  if (isNew && isNewcomer)
    return (
      <Suspense fallback={<div className="grow" />}>
        <FirstSteps />
      </Suspense>
    )
  return (
    <div className="flex grow items-center justify-center p-6">
      {isNew ? <h2 className="text-26 font-semibold">{words.begin}</h2> : null}
    </div>
  )
}
