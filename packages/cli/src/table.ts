import { printable } from './printable.ts'

/** Rows in columns; Chinese characters take two places. */
export function table(rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map((cell) => printable(cell).replaceAll('\n', ' ')))
  const widths = (clean[0] ?? []).map((_, column) => Math.max(...clean.map((row) => widthOf(row[column] ?? ''))))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
      .join('  ')
      .trimEnd()
  return clean.map((row) => `${line(row)}\n`).join('')
}

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/g

function widthOf(text: string): number {
  return text.length + (text.match(WIDE)?.length ?? 0)
}
