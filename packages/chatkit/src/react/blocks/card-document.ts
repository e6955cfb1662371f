import { CARD_BASE, LOOK_SCRIPT } from './card-look.ts'

/** What a frame may say: that its scripts run, how high it is, and what it asks for. */
export type CardMessage =
  | { type: 'ck:ready' }
  | { type: 'ck:size'; height: number }
  | { type: 'ck:open'; url: string }
  | { type: 'ck:bridge'; action: string; payload: unknown }

export const MIN_CARD_HEIGHT = 80
export const MAX_CARD_HEIGHT = 1200

/** A card's document, in the look of the chat around it: `look` of `cardLook`. */
export function cardDocument(html: string, origins: readonly string[], look: string): string {
  // Where the host's policy refuses styles, the browser's own colours for the scheme are left.
  const scheme = `<meta name="color-scheme" content="${/color-scheme:dark/.test(look) ? 'dark' : 'light'}">`
  const styles = `<style>${CARD_BASE}</style><style>${look}</style><script>${LOOK_SCRIPT}</script>`
  return opaqueDocument(`<meta name="viewport" content="width=device-width">${scheme}${styles}${html}`, origins)
}

/**
 * A document with a policy in front of everything it brings: its own script and style run, nothing is fetched and
 * nothing is sent, but to the origins the host lists.
 */
export function opaqueDocument(html: string, origins: readonly string[]): string {
  const listed = origins.filter((origin) => /^https?:\/\/[\w.:[\]-]+$/.test(origin)).join(' ')
  const policy = [
    `default-src 'none'`,
    `script-src 'unsafe-inline' ${listed}`,
    `style-src 'unsafe-inline' ${listed}`,
    `img-src data: ${listed}`,
    `font-src data: ${listed}`,
    `connect-src ${listed || "'none'"}`,
    `form-action 'none'`,
    `base-uri 'none'`,
  ].join('; ')
  const report = `<script>parent.postMessage({type:'ck:ready'},'*');new ResizeObserver(()=>parent.postMessage({type:'ck:size',height:document.documentElement.offsetHeight},'*')).observe(document.documentElement)</script>`
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="referrer" content="no-referrer">${report}${html}`
}

/** A message of a frame, if it is one that the kit knows. */
export function readCardMessage(data: unknown): CardMessage | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const { type, height, url, action, payload } = data as Record<string, unknown>
  if (type === 'ck:ready') return { type }
  if (type === 'ck:size' && typeof height === 'number' && Number.isFinite(height))
    return { type, height: clampHeight(height) }
  if (type === 'ck:open' && typeof url === 'string') return { type, url }
  if (type === 'ck:bridge' && typeof action === 'string' && action.length <= 200) return { type, action, payload }
  return undefined
}

/** Does the card need its scripts to be what it is? */
export const hasScript = (html: string): boolean => /<script\b|\son[a-z]+\s*=/i.test(html)

export const clampHeight = (height: number): number =>
  Math.min(MAX_CARD_HEIGHT, Math.max(MIN_CARD_HEIGHT, Math.round(height)))
