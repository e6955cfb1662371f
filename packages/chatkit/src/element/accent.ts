import { tellDeveloper } from '../model/dev-warning.ts'

type Rgb = readonly [number, number, number]

const WHITE: Rgb = [255, 255, 255]
const BLACK: Rgb = [0, 0, 0]
/** What the kit's themes paint on. */
const GROUND = { light: WHITE, dark: [21, 23, 28] as Rgb }
const LINK_CONTRAST = 4.5
const CONTROL_CONTRAST = 3
const STEPS = 20

/** A colour as `#rgb` or `#rrggbb`; anything else is told to the developer and is none. */
export function accentOf(name: string, given: string): string | undefined {
  if (given === '' || readColor(given)) return given || undefined
  tellDeveloper(`${name} takes a colour such as #0a7d4f; it is "${given}".`)
  return undefined
}

/** Rules that colour the kit, in both themes: what is written or outlined in the colour stays readable. */
export function kitAccent(accent: string): string {
  const rules = (theme: keyof typeof GROUND) => {
    const fill = readable(accent, theme, CONTROL_CONTRAST)
    const link = readable(accent, theme, LINK_CONTRAST)
    return `--ck-accent:${hex(fill)};--ck-on-accent:${hex(onTop(fill))};--ck-link:${hex(link)};--ck-bg-user:color-mix(in srgb,var(--ck-accent) 14%,var(--ck-bg))`
  }
  return `.ck-root{${rules('light')}}.ck-root[data-theme=dark]{${rules('dark')}}@media(prefers-color-scheme:dark){.ck-root[data-theme=auto]{${rules('dark')}}}`
}

/** The launcher is the colour itself: it floats over the page and is no text. */
export function launcherAccent(accent: string): string {
  const fill = readColor(accent) ?? BLACK
  return `:host(*){--accent:${hex(fill)};--on-accent:${hex(onTop(fill))}}`
}

export function contrastOf(a: Rgb, b: Rgb): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

export function readColor(text: string): Rgb | undefined {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text)?.[1]
  if (!digits) return undefined
  const pairs = digits.length === 3 ? [...digits].map((digit) => digit + digit) : (digits.match(/../g) ?? [])
  const [r = 0, g = 0, b = 0] = pairs.map((pair) => Number.parseInt(pair, 16))
  return [r, g, b]
}

/** The colour, mixed with as little black or white as the contrast needs. */
function readable(accent: string, theme: keyof typeof GROUND, contrast: number): Rgb {
  const color = readColor(accent) ?? BLACK
  const end = theme === 'light' ? BLACK : WHITE
  for (let step = 0; step <= STEPS; step++) {
    const mixed = mix(color, end, step / STEPS)
    if (contrastOf(mixed, GROUND[theme]) >= contrast) return mixed
  }
  return end
}

const onTop = (color: Rgb): Rgb => (contrastOf(color, WHITE) >= contrastOf(color, BLACK) ? WHITE : BLACK)

function mix([r, g, b]: Rgb, end: Rgb, share: number): Rgb {
  const part = (from: number, to: number) => Math.round(from + (to - from) * share)
  return [part(r, end[0]), part(g, end[1]), part(b, end[2])]
}

function hex(color: Rgb): string {
  return `#${color.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

/** As WCAG 2 defines it. */
function luminance(color: Rgb): number {
  const [r = 0, g = 0, b = 0] = color.map((value) =>
    value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
