/** What pages bring that changes everything on them: as shipped, shortened to what could reach a chat. */
export const resets: Record<string, string> = {
  'a bare reset': `* { margin: 0; padding: 0; box-sizing: border-box } *, *::before, *::after { border: 0 }
    ul, ol, li { list-style: none } svg, img, iframe { display: block } a { color: inherit; text-decoration: none }
    h1, h2, h3, p { font: inherit; margin: 0 0 2em } table { border-collapse: separate; border-spacing: 4px }`,
  'buttons without anything': `button { all: unset } input, textarea, select { all: unset } fieldset { all: unset }
    a { all: unset } summary { all: unset }`,
  'a small root': `html { font-size: 62.5% } body { font: 22px/2.4 Georgia, serif; color: red; letter-spacing: 3px; text-align: center;
    text-transform: uppercase; word-spacing: 9px; font-style: italic; cursor: wait; text-indent: 3em; text-shadow: 0 0 9px red }
    #chat { white-space: pre; word-break: break-all }`,
  'a large root': 'html { font-size: 28px } p, li, td { font-size: 28px; line-height: 3 }',
  normalize: `html { line-height: 1.15 } h1 { font-size: 2em; margin: .67em 0 } hr { box-sizing: content-box; height: 0 }
    pre, code, kbd, samp { font-family: monospace, monospace; font-size: 1em } b, strong { font-weight: bolder }
    small { font-size: 80% } sub, sup { font-size: 75%; line-height: 0; position: relative }
    button, input, optgroup, select, textarea { font-family: inherit; font-size: 100%; line-height: 1.15; margin: 0 }
    button, [type="button"], [type="reset"], [type="submit"] { -webkit-appearance: button; border-style: dashed }
    fieldset { padding: .35em .75em .625em } legend { padding: 0; display: table } textarea { overflow: auto }
    [type="checkbox"], [type="radio"] { box-sizing: border-box; padding: 0; appearance: none }`,
  'Tailwind 3 preflight': `*, ::before, ::after { box-sizing: border-box; border-width: 0; border-style: solid; border-color: #e5e7eb }
    html { line-height: 1.5; font-family: ui-serif, serif; tab-size: 4 } body { margin: 0; line-height: inherit }
    h1, h2, h3, h4, h5, h6 { font-size: inherit; font-weight: inherit } a { color: inherit; text-decoration: inherit }
    b, strong { font-weight: bolder } code, kbd, samp, pre { font-family: monospace; font-size: 1em }
    table { text-indent: 0; border-color: inherit; border-collapse: collapse }
    button, input, optgroup, select, textarea { font-family: inherit; font-size: 100%; font-weight: inherit; line-height: inherit;
      letter-spacing: inherit; color: inherit; margin: 0; padding: 0 }
    button, select { text-transform: none }
    button, [type='button'], [type='reset'], [type='submit'] { -webkit-appearance: button; background-color: transparent; background-image: none }
    blockquote, dl, dd, h1, h2, h3, h4, h5, h6, hr, figure, p, pre { margin: 0 } fieldset { margin: 0; padding: 0 } legend { padding: 0 }
    ol, ul, menu { list-style: none; margin: 0; padding: 0 } textarea { resize: vertical }
    input::placeholder, textarea::placeholder { opacity: 1; color: #9ca3af } button, [role="button"] { cursor: pointer }
    img, svg, video, canvas, audio, iframe, embed, object { display: block; vertical-align: middle } img, video { max-width: 100%; height: auto }`,
  'Tailwind 4 preflight': `@layer theme, base, components, utilities;
    @layer base { *, ::after, ::before, ::backdrop, ::file-selector-button { box-sizing: border-box; margin: 0; padding: 0; border: 0 solid }
    html { line-height: 1.5; font-family: ui-serif, serif } h1, h2, h3 { font-size: inherit; font-weight: inherit }
    a { color: inherit; text-decoration: inherit } ol, ul, menu { list-style: none } img, svg, iframe { display: block; vertical-align: middle }
    button, input, select, optgroup, textarea { font: inherit; letter-spacing: inherit; color: inherit; border-radius: 0; background-color: transparent; opacity: 1 }
    ::placeholder { opacity: 1; color: color-mix(in oklab, currentcolor 50%, transparent) } textarea { resize: vertical }
    button, input:where([type='button'], [type='reset'], [type='submit']) { appearance: button } }`,
}
