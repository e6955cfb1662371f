/** npm's Chromium, unpacked once for all workers; another one only where `CHROMIUM_PATH` names it. */
export async function setup(): Promise<void> {
  if (process.env['CHROMIUM_PATH']) return
  const { default: packed } = await import('@sparticuz/chromium')
  process.env['CHROMIUM_PATH'] = await packed.executablePath()
}
