import type { EventStreamMessage } from '../model/application-context.ts'
import { ChatKitBase } from './chat-kit-base.ts'
import type { ChatKitProps } from './chat-kit-props.ts'

/** A side panel that accompanies the host page. */
export abstract class CopilotBase<
  T = EventStreamMessage,
  K = unknown,
  P extends ChatKitProps = ChatKitProps,
> extends ChatKitBase<T, K, P> {
  protected override readonly mode = 'copilot' as const
}

/** The application's main screen. */
export abstract class AssistantBase<
  T = EventStreamMessage,
  K = unknown,
  P extends ChatKitProps = ChatKitProps,
> extends ChatKitBase<T, K, P> {
  protected override readonly mode = 'assistant' as const
}
