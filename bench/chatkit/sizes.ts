import { join } from 'node:path'
import { initialSize } from '../../packages/chatkit/test/browser/initial-size.ts'

export type Size = { what: string; js: number; css: number; budget?: { js?: number; css?: number } }

const KIT = join(import.meta.dirname, '../../packages/chatkit/src')
const RIVALS = join(import.meta.dirname, 'rivals')

/** B6: what a page downloads at first, without React, in KiB gz. */
export async function measureSizes(): Promise<Size[]> {
  const css = `import '${KIT}/react/chatkit.css'`
  const ours = (names: string) => kib(`${css}; export { ${names} } from '${KIT}/index.ts'`, KIT)
  const markdown = `export { XMarkdown } from '@ant-design/x-markdown'; import '@ant-design/x-markdown/themes/light.css'`
  return [
    { what: 'ChatKit `Markdown`', ...(await ours('Markdown')), budget: { js: 25 } },
    { what: 'Streamdown', ...(await kib(`export { Streamdown } from 'streamdown'`, RIVALS)) },
    { what: 'Ant Design X `XMarkdown`', ...(await kib(markdown, RIVALS)) },
    { what: 'ChatKit with Coze', ...(await ours('ChatKit, coze')), budget: { js: 60, css: 12 } },
    { what: 'ChatKit with Parley, socket client included', ...(await ours('ChatKit, parley')), budget: { js: 95 } },
    {
      what: 'Ant Design X `Bubble`, `Sender`, `XMarkdown`, without a back end',
      ...(await kib(`export { Bubble, Sender } from '@ant-design/x'; ${markdown}`, RIVALS)),
    },
  ]
}

async function kib(code: string, folder: string): Promise<{ js: number; css: number }> {
  const { js, css } = await initialSize(code, folder)
  return { js: js / 1024, css: css / 1024 }
}
