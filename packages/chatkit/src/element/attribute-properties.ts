/** Gives elements of a class a property for each of these attributes, with the same name and the same text. */
export function reflectAttributes(prototype: HTMLElement, names: readonly string[]): void {
  for (const name of names)
    Object.defineProperty(prototype, name, {
      configurable: true,
      enumerable: true,
      get(this: HTMLElement): string {
        return this.getAttribute(name) ?? ''
      },
      set(this: HTMLElement, value: string | null | undefined) {
        if (value === null || value === undefined) this.removeAttribute(name)
        else this.setAttribute(name, value)
      },
    })
}

/** A property that a framework set before the class was known hides the accessor: set it again, properly. */
export function takeOver<Element extends HTMLElement>(element: Element, name: keyof Element): void {
  if (!Object.hasOwn(element, name)) return
  const value = element[name]
  delete element[name]
  element[name] = value
}
