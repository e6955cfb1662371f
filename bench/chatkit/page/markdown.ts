/** The kit's renderer alone, as one would put it into a chat of one's own. */
import '@parley/chatkit/chatkit.css'
import { createElement } from 'react'
import {
  defaultMarkdownOptions,
  MarkdownOptionsProvider,
} from '../../../packages/chatkit/src/markdown/markdown-options.ts'
import { Markdown } from '../../../packages/chatkit/src/markdown/markdown.tsx'
import { startHarness } from './harness.ts'
import { noColours } from './no-colours.ts'
import { rendererContender } from './renderer-contender.ts'

const value = { ...defaultMarkdownOptions, ...noColours }
const draw = (text: string, streaming: boolean) =>
  createElement(MarkdownOptionsProvider, { value }, createElement(Markdown, { text, streaming }))

startHarness(rendererContender(draw))
