import { createElement, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import type { Contender } from './contender.ts'

/** One growing answer and nothing around it: for renderers that are no chat. Its box keeps its end in view. */
export function rendererContender(draw: (text: string, isStreaming: boolean) => ReactNode): Contender {
  return {
    async mount(place) {
      const root = createRoot(place)
      let text = ''
      const render = (isStreaming: boolean) =>
        root.render(createElement('div', { className: 'at-end' }, createElement('div', null, draw(text, isStreaming))))
      return {
        ask() {
          text = ''
        },
        append(delta) {
          text += delta
          render(true)
        },
        async finish() {
          render(false)
        },
        unmount: () => root.unmount(),
      }
    },
  }
}
