import { clampHeight, opaqueDocument } from './card-document.ts'

/** What the frame says: that it waits for an order, and how that went; a new height also when it changes later. */
export type DiagramMessage = { type: 'ck:waiting' | 'ck:failed' } | { type: 'ck:drawn' | 'ck:size'; height: number }

/** What the frame is told: the text of the diagram and how to draw it; the library with the first order only. */
export type DiagramOrder = { type: 'ck:diagram'; text: string; library?: string; isDark: boolean; background: string }

const STYLE = 'body{margin:12px}svg{display:block;margin:auto;max-inline-size:100%}'

/** As text, not as a function: what bundlers make of a function may call helpers that the frame does not have. */
const SCRIPT = `
let drawing = Promise.resolve()
async function draw({ text, library, isDark, background }) {
  if (library) {
    const script = document.createElement('script')
    script.textContent = library
    document.head.append(script)
  }
  document.documentElement.style.background = background
  document.documentElement.style.colorScheme = isDark ? 'dark' : 'light'
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: isDark ? 'dark' : 'default',
    suppressErrorRendering: true,
    fontFamily: 'system-ui, sans-serif',
  })
  const { svg } = await mermaid.render('drawn', text)
  document.body.innerHTML = svg
  // A click would load a foreign page into the frame.
  for (const link of document.querySelectorAll('a')) link.replaceWith(...link.childNodes)
}
// One after the other: the library keeps what it is told in one place.
addEventListener('message', ({ source, data }) => {
  if (source !== parent || data?.type !== 'ck:diagram') return
  // Out of view nothing is measured by itself: the height goes along.
  const say = (type) => parent.postMessage({ type, height: document.documentElement.offsetHeight }, '*')
  drawing = drawing.then(() => draw(data)).then(() => say('ck:drawn'), () => say('ck:failed'))
})
parent.postMessage({ type: 'ck:waiting' }, '*')
`

/** The empty document that draws what it is sent. Nothing of a diagram stands in it. */
export const DIAGRAM_DOCUMENT = opaqueDocument(`<style>${STYLE}</style><body><script>${SCRIPT}</script>`, [])

export function readDiagramMessage(data: unknown): DiagramMessage | undefined {
  const { type, height } = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>
  if (type === 'ck:waiting' || type === 'ck:failed') return { type }
  const isHeight = typeof height === 'number' && Number.isFinite(height)
  return (type === 'ck:drawn' || type === 'ck:size') && isHeight ? { type, height: clampHeight(height) } : undefined
}
