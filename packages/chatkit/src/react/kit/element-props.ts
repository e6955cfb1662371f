import type { ComponentPropsWithoutRef } from 'react'

const ELEMENT_PROP =
  /^(?:data-|aria-|id$|role$|className$|style$|dir$|hidden$|tabIndex$|slot$|part$|on(?:Key|Pointer|Mouse|Focus|Blur|Click|Drag|Drop|Paste|Copy))/

/** What belongs on the root element. The class API hands all its props on, and a token must not end up in the page. */
export function elementProps(props: object): ComponentPropsWithoutRef<'div'> {
  return Object.fromEntries(Object.entries(props).filter(([name]) => ELEMENT_PROP.test(name)))
}
