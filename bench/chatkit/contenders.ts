import { join } from 'node:path'

export type ContenderName =
  | 'ChatKit'
  | 'ChatKit, coloured'
  | 'ChatKit Markdown'
  | 'Streamdown'
  | 'Streamdown + cjk'
  | 'Ant Design X'

/** Where each page begins. */
export const PAGES: Record<ContenderName, string> = {
  ChatKit: join(import.meta.dirname, 'page/chatkit.ts'),
  'ChatKit, coloured': join(import.meta.dirname, 'page/chatkit-coloured.ts'),
  'ChatKit Markdown': join(import.meta.dirname, 'page/markdown.ts'),
  Streamdown: join(import.meta.dirname, 'rivals/streamdown.jsx'),
  'Streamdown + cjk': join(import.meta.dirname, 'rivals/streamdown-cjk.jsx'),
  'Ant Design X': join(import.meta.dirname, 'rivals/ant-design-x.jsx'),
}
/** Who can draw a growing answer. Code is coloured by nobody but the one that says so. */
export const RENDERERS: ContenderName[] = [
  'ChatKit',
  'ChatKit, coloured',
  'ChatKit Markdown',
  'Streamdown',
  'Ant Design X',
]
/** Who has a list and a text box. */
export const KITS: ContenderName[] = ['ChatKit', 'Ant Design X']
