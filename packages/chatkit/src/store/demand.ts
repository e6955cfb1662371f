import type { ChatAdapter } from '../model/chat-adapter.ts'
import { chatKitError } from '../model/chat-kit-error.ts'

type With<Name extends keyof ChatAdapter> = ChatAdapter & { [One in Name]-?: NonNullable<ChatAdapter[One]> }

/** A back end has a feature by having its function; throws when it does not. */
export function demand<Name extends keyof ChatAdapter>(
  adapter: ChatAdapter,
  name: Name,
): asserts adapter is With<Name> {
  if (!adapter[name]) throw chatKitError('unsupported', `${adapter.name} has no ${name}.`)
}
