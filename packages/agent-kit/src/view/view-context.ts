import type { ParleyClient } from '@parley/client'
import { createContext, useContext } from 'react'
import type { ChatStore } from '@parley/chatkit'
import type { AnswerProps, ChatViewProps, PreviewCard } from './chat-view-props.ts'
import type { ViewTexts } from './texts.ts'

/** What the parts of one chat share. Changes seldom: what streams comes from the stores. */
export type View = Pick<AnswerProps, 'onAnswer'> & {
  client: ParleyClient
  sessionId: string
  store: ChatStore
  locale: string
  texts: ViewTexts
  classNames: NonNullable<ChatViewProps['classNames']>
  components: NonNullable<ChatViewProps['components']>
  renderers: NonNullable<NonNullable<ChatViewProps['renderers']>['tool']>
  features: NonNullable<ChatViewProps['features']>
  preview: (card: PreviewCard) => void
}

export const ViewContext = createContext<View | null>(null)

export function useView(): View {
  const view = useContext(ViewContext)
  if (!view) throw new Error('This part belongs inside of <ChatView>.')
  return view
}
