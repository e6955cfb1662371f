/** Hands something to the browser as a download. */
export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

export type Cell = string | number | null | undefined

/** As spreadsheets read it: with a mark that it is UTF-8, and nothing in it that one of them would compute. */
export function saveCsv(rows: readonly (readonly Cell[])[], name: string): void {
  const text = rows.map((row) => row.map(csvCell).join(',')).join('\r\n')
  saveFile(new Blob([`\uFEFF${text}\r\n`], { type: 'text/csv' }), name)
}

export function csvCell(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell === 'number') return String(cell)
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
