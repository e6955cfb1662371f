/** The composer's text box, also one that the host has put in its place. */
export function findTextBox(root: Element): HTMLElement | null {
  return root.querySelector<HTMLElement>('.ck-composer :is(textarea, [contenteditable], input:not([hidden]))')
}
