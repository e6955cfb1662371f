/**
 * What is downloaded at first use, each part a chunk of its own. The embed script is one file and cannot have chunks: its
 * build puts `element/embed-parts.ts` in the place of this file, which gets the same parts from the server.
 */
import type { Highlighter, MathRenderer } from '../markdown/markdown-options.ts'
import type { ChartDrawer } from './draw-chart.ts'

export const loadHighlighter = async (): Promise<Highlighter> => (await import('./highlight.ts')).highlight

export const loadMath = async (): Promise<MathRenderer> => {
  const { addMathFont, renderMath } = await import('./render-math.ts')
  addMathFont(() => import('@parley/chatkit/math-font'))
  return renderMath
}

export const loadCharts = async (): Promise<ChartDrawer> => (await import('./draw-chart.ts')).drawChart

/** Mermaid as the text of a script: it runs in a frame that cannot load anything. */
export const loadMermaid = async (): Promise<string> => (await import('@parley/chatkit/mermaid')).source
