/**
 * Text of a model or tool as it may go to a terminal: escape sequences in it could move the cursor, change the title or
 * write to the clipboard, so control characters other than line ends and tabs are shown, not sent.
 */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters meant
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (control) =>
    control === '\r' ? '' : `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}

/** The first line, cut to a length. */
export function oneLine(text: string, most = 100): string {
  const [line = ''] = printable(text).trim().split('\n')
  return line.length > most || line.length < text.trim().length ? `${line.slice(0, most)}…` : line
}
