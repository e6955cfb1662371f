/** An action that the assistant asks of the page, as `chatkit:bridge` carries it. */
export type BridgeAction = { action: string; payload: unknown; toolCallID: string }

/** Tells it to whoever listens on the kit's root or around it; it does not leave a shadow root. */
export function dispatchBridge(inside: Element | null, detail: BridgeAction): void {
  const root = inside?.closest('.ck-root') ?? inside
  root?.dispatchEvent(new CustomEvent<BridgeAction>('chatkit:bridge', { detail, bubbles: true }))
}
