import { decodeEntities } from './decode-entities.ts'

const LINK = new Set(['http:', 'https:', 'mailto:', 'tel:'])
const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*$/i
const MAX_DATA_IMAGE = Math.ceil((1024 * 1024 * 4) / 3) + 64

/** The address if a click may follow it, else `undefined`: http, https, mailto, tel and addresses relative to the page. */
export function safeHref(href: string): string | undefined {
  const address = clean(href)
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]
  if (scheme !== undefined) return LINK.has(`${scheme.toLowerCase()}:`) && parse(address) ? address : undefined
  return address === '' || address.startsWith('\\') || /^\/[\\]/.test(address) ? undefined : address
}

/** Where a link leads, as people know it: the host, or the address of a letter. */
export function destinationOf(href: string): string {
  const url = parse(href)
  if (url === undefined) return ''
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.host : url.pathname
}

/** True if loading the image sends nothing to anybody the host page did not name. */
export function mayLoadImage(source: string, allowedHosts: readonly string[]): boolean {
  const address = clean(source)
  if (address.startsWith('data:')) return address.length <= MAX_DATA_IMAGE && DATA_IMAGE.test(address)
  const origin = typeof location === 'undefined' ? undefined : location.origin
  const url = parse(address, origin)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return false
  return url.origin === origin || allowedHosts.some((host) => host === url.host || host === url.origin)
}

/** Control characters and spaces are what browsers drop before they read the scheme; so do we. */
function clean(address: string): string {
  // oxlint-disable-next-line no-control-regex
  return decodeEntities(address).replace(/[\u0000-\u0020\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202f\ufeff]/g, '')
}

function parse(address: string, base?: string): URL | undefined {
  try {
    return new URL(address.startsWith('//') ? `https:${address}` : address, base)
  } catch {
    return undefined
  }
}
