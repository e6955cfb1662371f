import { tellDeveloper } from '../model/dev-warning.ts'

const PATHS = {
  chat: 'M4 5h16v11H9l-5 4zM8.500 9.500h7M8.500 12.500h4',
  question:
    'M9 9.200a3 3 0 1 1 4.600 2.500c-1 .650-1.600 1.200-1.600 2.500M12 17.500v.010M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0z',
  spark: 'M12 3.500 13.900 10.100 20.500 12 13.900 13.900 12 20.500 10.100 13.900 3.500 12 10.100 10.100z',
  close: 'M6 6l12 12M18 6 6 18',
}

/** One of our own by name, or an image of the page. */
export type LauncherIcon = { path: string } | { image: string }

/** `chat`, `question`, `spark`, or the address of an image: `https:`, the page's own, or `data:image/…`. */
export function iconOf(name: string, given: string): LauncherIcon {
  if (given === '') return { path: PATHS.chat }
  if (Object.hasOwn(PATHS, given)) return { path: PATHS[given as keyof typeof PATHS] }
  if (/^(?:https?:\/\/|\/|\.{1,2}\/|data:image\/)/i.test(given)) return { image: given }
  tellDeveloper(`${name} takes chat, question, spark or the address of an image; it is "${given}".`)
  return { path: PATHS.chat }
}

/** Drawn by the page's own functions: no markup of anybody's is read. */
export function makeIcon(page: Document, name: string, icon: LauncherIcon): Element {
  if ('image' in icon) {
    const image = page.createElement('img')
    image.className = `icon icon-${name} image`
    image.alt = ''
    image.src = icon.image
    return image
  }
  const drawing = page.createElementNS('http://www.w3.org/2000/svg', 'svg')
  drawing.setAttribute('class', `icon icon-${name}`)
  drawing.setAttribute('viewBox', '0 0 24 24')
  drawing.setAttribute('aria-hidden', 'true')
  const line = page.createElementNS('http://www.w3.org/2000/svg', 'path')
  line.setAttribute('d', icon.path)
  drawing.append(line)
  return drawing
}

export const CLOSE_ICON: LauncherIcon = { path: PATHS.close }
