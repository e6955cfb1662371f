/** What has the focus, where the node lives: in a shadow root the document only knows the host. */
export function activeIn(node: Element): Element | null {
  return (node.getRootNode() as Document | ShadowRoot).activeElement
}
