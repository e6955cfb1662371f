/** Whether the panel is open, per tab and server: it comes back on the site's next page. `undefined`: it does not. */
export function panelMemory(server: string | undefined) {
  const key = `parley-panel ${server}`
  let isOpen = false
  return {
    read(): boolean {
      try {
        return isOpen || (server !== undefined && sessionStorage.getItem(key) === 'open')
      } catch {
        return isOpen
      }
    },
    write(next: boolean): void {
      isOpen = next
      if (server === undefined) return
      try {
        if (next) sessionStorage.setItem(key, 'open')
        else sessionStorage.removeItem(key)
      } catch {
        // Not allowed here: the next page starts with it closed.
      }
    },
  }
}
