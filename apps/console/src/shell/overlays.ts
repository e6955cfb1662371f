/** What opens above the pages: one chunk. */
export { Palette } from './palette.tsx'
export { ShortcutSheet } from './shortcut-sheet.tsx'
