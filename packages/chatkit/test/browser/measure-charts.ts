export type MeasuredChart = {
  /** Texts that reach beyond the drawing. */
  beyond: string[]
  /** Of the texts, in pixels as displayed. */
  smallest: number
}

/** Runs in a page or a frame: every drawing that is shown. */
export function measureCharts(): MeasuredChart[] {
  return [...document.querySelectorAll('svg')].filter(isDrawing).map((svg) => {
    const place = svg.getBoundingClientRect()
    const scale = place.width / (svg.viewBox.baseVal?.width || svg.width.baseVal.value || place.width)
    const texts = [...svg.querySelectorAll('text')]
    const isBeyond = (text: Element) => {
      const { left, right } = text.getBoundingClientRect()
      return left < place.left - 1 || right > place.right + 1
    }
    return {
      beyond: texts.filter(isBeyond).map(({ textContent }) => textContent ?? ''),
      smallest: Math.min(...texts.map((text) => Number.parseFloat(getComputedStyle(text).fontSize) * scale)),
    }
  })
  function isDrawing(svg: SVGSVGElement): boolean {
    return svg.querySelector('text') !== null && svg.getBoundingClientRect().width > 0
  }
}
