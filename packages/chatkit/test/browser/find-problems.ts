/**
 * Runs in the page: what an audit of `given`, by default the kit on the page, would find. Returns sentences; none is good.
 * Written as one function, to be sent there.
 */
export function findProblems(given: Element | void): string[] {
  const root = given ?? document.querySelector('.ck-root')!
  const tree = root.getRootNode() as Document | ShadowRoot
  const problems: string[] = []
  const isShown = (element: Element) => {
    const box = element.getBoundingClientRect()
    return (
      box.width > 1 && box.height > 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    )
  }
  const name = (element: Element) =>
    `${element.tagName.toLowerCase()}.${element.className} "${(element.textContent ?? '').trim().slice(0, 30)}"`
  const labelOf = (element: Element): string => {
    const ids = element.getAttribute('aria-labelledby')?.split(' ') ?? []
    const labels = 'labels' in element ? [...((element.labels as NodeListOf<HTMLElement> | null) ?? [])] : []
    return [
      element.getAttribute('aria-label'),
      ...ids.map((id) => tree.getElementById(id)?.textContent),
      ...labels.map((label) => label.textContent),
      /^(?:A|BUTTON|SUMMARY)$/.test(element.tagName) ? element.textContent : '',
    ]
      .join('')
      .trim()
  }

  for (const control of root.querySelectorAll(
    'button, a[href], input:not([hidden]), textarea, [role=dialog], [role=log], [role=region], [role=group], [role=img], nav, iframe',
  )) {
    if (control.tagName === 'IFRAME' ? !control.getAttribute('title') : labelOf(control) === '')
      problems.push(`no name: ${name(control)}`)
    const { width, height } = control.getBoundingClientRect()
    const isInline = control.tagName === 'A' && getComputedStyle(control).display === 'inline'
    if (isShown(control) && /^(?:A|BUTTON)$/.test(control.tagName) && !isInline && (width < 24 || height < 24))
      problems.push(`target ${width}×${height}: ${name(control)}`)
  }
  for (const image of root.querySelectorAll('img'))
    if (image.getAttribute('alt') === null) problems.push(`no alt: ${name(image)}`)
  for (const item of root.querySelectorAll('li'))
    if (!item.parentElement?.matches('ul, ol')) problems.push(`li outside a list: ${name(item)}`)
  for (const list of root.querySelectorAll('ul, ol'))
    if ([...list.children].some(({ tagName }) => tagName !== 'LI'))
      problems.push(`list with other children: ${name(list)}`)
  for (const hidden of root.querySelectorAll('[aria-hidden=true]'))
    if (hidden.querySelector('button, a[href], input, [tabindex="0"]'))
      problems.push(`focusable in hidden: ${name(hidden)}`)
  const ids = [...tree.querySelectorAll('[id]')].map(({ id }) => id)
  for (const id of ids.filter((id, i) => ids.indexOf(id) !== i)) problems.push(`id twice: ${id}`)
  for (const element of root.querySelectorAll('[aria-controls], [aria-describedby], [aria-labelledby]'))
    for (const attribute of ['aria-controls', 'aria-describedby', 'aria-labelledby'])
      for (const id of element.getAttribute(attribute)?.split(' ') ?? [])
        if (!tree.getElementById(id)) problems.push(`${attribute} to nowhere: ${name(element)}`)
  let level = 0
  for (const heading of root.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    const next = Number(heading.tagName[1])
    if (level > 0 && next > level + 1) problems.push(`heading h${next} after h${level}: ${name(heading)}`)
    level = next
  }

  // Contrast of every text against what is painted behind it.
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!
  const colour = (css: string): [number, number, number, number] => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = css
    canvas.fillRect(0, 0, 1, 1)
    const [r = 0, g = 0, b = 0, a = 0] = canvas.getImageData(0, 0, 1, 1).data
    return [r, g, b, a / 255]
  }
  const behind = (element: Element | null): [number, number, number] => {
    if (!element) return [255, 255, 255]
    const [r, g, b, a] = colour(getComputedStyle(element).backgroundColor)
    if (a === 1) return [r, g, b]
    const below = behind(element.parentElement)
    return [r * a + below[0] * (1 - a), g * a + below[1] * (1 - a), b * a + below[2] * (1 - a)]
  }
  const luminance = (rgb: readonly number[]) => {
    const [r = 0, g = 0, b = 0] = rgb.map((value) =>
      value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
    )
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const contrast = (a: readonly number[], b: readonly number[]) => {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x)
    return (light! + 0.05) / (dark! + 0.05)
  }
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement!
    if (
      !node.textContent?.trim() ||
      !isShown(element) ||
      element.closest('.ck-hidden, :disabled, [aria-disabled=true]')
    )
      continue
    const ratio = contrast(colour(getComputedStyle(element).color).slice(0, 3), behind(element))
    if (ratio < 4.5) problems.push(`contrast ${ratio.toFixed(2)}: ${name(element)}`)
  }
  for (const control of root.querySelectorAll(
    '.ck-button:not(:disabled, .ck-quiet), .ck-input, .ck-composer-box, .ck-suggestion',
  )) {
    if (!isShown(control)) continue
    const edge = colour(getComputedStyle(control).borderTopColor).slice(0, 3)
    const ratio = contrast(edge, behind(control.parentElement))
    if (ratio < 3) problems.push(`edge contrast ${ratio.toFixed(2)}: ${name(control)}`)
  }
  return [...new Set(problems)]
}
