/** Stands in for `lazy/parts.ts` in the embed script: the same parts, from the folder `embed/` beside the script. */
import type { ChartDrawer } from '../lazy/draw-chart.ts'
import type * as MathPart from '../lazy/render-math.ts'
import type { Highlighter, MathRenderer } from '../markdown/markdown-options.ts'

// A classic script knows its tag only while it first runs; one that was added as a module is found by its name.
const tag = document.currentScript ?? document.querySelector('script[src*="embed.js"]')
const address = (tag instanceof HTMLScriptElement && tag.src) || document.baseURI

const load = <T>(name: string): Promise<T> =>
  import(/* @vite-ignore */ new URL(`embed/${name}.js`, address).href) as Promise<T>

export const loadHighlighter = async (): Promise<Highlighter> =>
  (await load<{ highlight: Highlighter }>('highlight')).highlight

export const loadMath = async (): Promise<MathRenderer> => {
  const { addMathFont, renderMath } = await load<typeof MathPart>('math')
  addMathFont(() => load('math-font'))
  return renderMath
}

export const loadCharts = async (): Promise<ChartDrawer> => (await load<{ drawChart: ChartDrawer }>('charts')).drawChart

export const loadMermaid = async (): Promise<string> => (await load<{ source: string }>('mermaid')).source
