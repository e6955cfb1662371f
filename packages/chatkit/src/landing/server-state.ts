/** What the page says about the server: its title, and the dot beside it. */
export function createServerState(gone: string): (isUp: boolean) => void {
  const title = document.querySelector('h1')
  const running = title?.textContent ?? ''
  return (isUp) => {
    document.body.toggleAttribute('data-gone', !isUp)
    if (title) title.textContent = isUp ? running : gone
  }
}
