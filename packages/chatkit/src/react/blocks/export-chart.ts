import { saveAs } from './save-as.ts'

/** Saves what a chart's figure shows: the picture, or its numbers, or the text of what could not be drawn. */
export function saveChart(figure: HTMLElement, title: string): void {
  const shown = pictureIn(figure) ?? tableIn(figure) ?? textIn(figure)
  if (shown) saveAs(shown.blob, `${fileName(title)}.${shown.ending}`)
}

type Shown = { blob: Blob; ending: string } | undefined

/** On the ground that it stands on: light text saved without it would be read by nobody. */
function pictureIn(figure: HTMLElement): Shown {
  const svg = figure.querySelector('.ck-chart-space svg')
  if (!svg) return undefined
  const copy = svg.cloneNode(true) as SVGElement
  const { width, height } = svg.getBoundingClientRect()
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
  for (const [name, value] of [
    ['width', '100%'],
    ['height', '100%'],
    ['fill', groundOf(figure)],
  ] as const)
    ground.setAttribute(name, value)
  copy.prepend(ground)
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  return { blob: new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' }), ending: 'svg' }
}

function groundOf(element: HTMLElement): string {
  for (let at: HTMLElement | null = element; at; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at)
    if (backgroundColor !== 'transparent' && backgroundColor !== 'rgba(0, 0, 0, 0)') return backgroundColor
  }
  return '#fff'
}

function tableIn(figure: HTMLElement): Shown {
  const rows = [...figure.querySelectorAll('.ck-data tr')]
  if (rows.length === 0) return undefined
  const lines = rows.map((row) => [...row.children].map(({ textContent }) => cell(textContent ?? '')).join(','))
  // The mark in front tells spreadsheets that it is UTF-8.
  return { blob: new Blob([`\uFEFF${lines.join('\r\n')}\r\n`], { type: 'text/csv;charset=utf-8' }), ending: 'csv' }
}

/** A text that a spreadsheet would take for a formula is no formula: it came from whoever wrote the chart. */
function cell(text: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text))
  const plain = isFormula ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

function textIn(figure: HTMLElement): Shown {
  const text = figure.querySelector('code')?.textContent
  return text ? { blob: new Blob([text], { type: 'application/json' }), ending: 'json' } : undefined
}

function fileName(title: string): string {
  const plain = title.replaceAll(/[\p{Cc}<>:"/\\|?*.]+/gu, ' ').trim()
  return plain.slice(0, 80) || 'chart'
}
