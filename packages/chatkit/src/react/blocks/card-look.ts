import type { CardColors } from './use-kit-colors.ts'

/** Values of the kit's style sheet come from the host's; in a style element they must not end it. */
const value = (text: string): string => text.replaceAll(/[<;{}]/g, '')

/** The colours of the chat as custom properties of a card, under the names they have in the kit's own style sheet. */
export function cardLook(colors: CardColors): string {
  const { text, muted, line, control, accent, onAccent, link, background, sunken, font, isDark } = colors
  const properties = {
    ...{ text, muted, 'line-color': line, control, accent, 'on-accent': onAccent, link, bg: background, font },
    'bg-sunken': sunken,
  }
  const declared = Object.entries(properties).map(([name, color]) => `--ck-${name}:${value(color)}`)
  return `@layer ck-base{:root{color-scheme:${isDark ? 'dark' : 'light'};${declared.join(';')}}}`
}

/** The look of the default theme, for cards that can only be read on white. */
export const LIGHT_LOOK = `@layer ck-base{:root{color-scheme:light;--ck-text:#1b1f26;--ck-muted:#59626e;--ck-line-color:#d9dde3;--ck-control:#7a8491;--ck-accent:#2458d3;--ck-on-accent:#fff;--ck-link:#1d4fc4;--ck-bg:#fff;--ck-bg-sunken:#eef0f3}}`

/** What a card looks like of itself. In a layer before all else: whatever its author wrote wins. */
export const CARD_BASE = `@layer ck-base{
html{color:var(--ck-text);font:15px/1.6 var(--ck-font,system-ui,sans-serif);overflow-wrap:anywhere}
*,::before,::after{box-sizing:border-box}
body{margin:12px}
h1,h2,h3,h4,h5,h6{margin:0 0 .5em;font-weight:600;line-height:1.3}
h1{font-size:1.35em}h2{font-size:1.2em}h3{font-size:1.08em}h4,h5,h6{font-size:1em}
p,ul,ol,dl,table,pre,blockquote,figure,fieldset,form{margin:0 0 .75em}
ul,ol{padding-inline-start:1.5em}
:is(body,li,td,th,blockquote,figure,section,article,div)>:last-child{margin-bottom:0}
a{color:var(--ck-link);text-underline-offset:.15em}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:.4em .75em;border-bottom:1px solid var(--ck-line-color);text-align:start;vertical-align:top;overflow-wrap:normal}
th{color:var(--ck-muted);font-weight:600}
caption{padding-block-end:.4em;color:var(--ck-muted);text-align:start}
button,input,select,textarea{max-width:100%;min-height:32px;padding:.25em .75em;border:1px solid var(--ck-control);border-radius:8px;background:var(--ck-bg);color:inherit;font:inherit}
button{cursor:pointer}
button:hover{background:var(--ck-bg-sunken)}
button:disabled{cursor:default;opacity:.55}
input:is([type=checkbox],[type=radio],[type=range],[type=color]){min-height:0;padding:0;accent-color:var(--ck-accent)}
code,kbd,samp,pre{font:.9em/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
:not(pre)>code,kbd{padding:.1em .35em;border-radius:.3em;background:var(--ck-bg-sunken)}
pre{overflow:auto;padding:.6em .75em;border-radius:8px;background:var(--ck-bg-sunken)}
blockquote{padding-inline-start:.9em;border-inline-start:3px solid var(--ck-line-color);color:var(--ck-muted)}
hr{border:0;border-top:1px solid var(--ck-line-color)}
img,video,canvas{max-width:100%;height:auto}
small,figcaption{color:var(--ck-muted);font-size:.875em}
:focus-visible{outline:2px solid var(--ck-accent);outline-offset:2px}
}`

/**
 * Runs in the card, before anything of it. Takes a new look when the chat's theme changes, and goes back to white where
 * the author's own colours cannot be read on dark. As text: bundlers make of a function what the frame does not have.
 */
export const LOOK_SCRIPT = `(()=>{
const light=${JSON.stringify(LIGHT_LOOK)}
const style=document.currentScript.previousElementSibling
const numbers=(css)=>{const found=/^rgba?\\(([\\d., ]+)\\)$/.exec(css);return found?found[1].split(',').map(Number):null}
const light1=([r,g,b])=>[r,g,b].map((v)=>v/255<=.04045?v/255/12.92:((v/255+.055)/1.055)**2.4).reduce((sum,v,i)=>sum+v*[.2126,.7152,.0722][i],0)
const ground=(element)=>{
  for(;element;element=element.parentElement){
    const {backgroundColor,backgroundImage}=getComputedStyle(element)
    if(backgroundImage!=='none')return null
    const color=numbers(backgroundColor)
    if(!color)return null
    if(color[3]===undefined||color[3]>.5)return color
  }
  return [24,26,32]
}
const isReadable=()=>{
  const walker=document.createTreeWalker(document.body??document.documentElement,4)
  for(let node=walker.nextNode(),left=400;node&&left>0;node=walker.nextNode()){
    const element=node.parentElement
    if(!node.data.trim()||!element||/^(?:SCRIPT|STYLE|TEMPLATE)$/.test(element.tagName)||!element.getClientRects().length)continue
    left-=1
    const text=numbers(getComputedStyle(element).color),behind=ground(element)
    if(!text||!behind||text[3]===0)continue
    const [dim,bright]=[light1(text),light1(behind)].sort((a,b)=>a-b)
    if((bright+.05)/(dim+.05)<2.5)return false
  }
  return true
}
let dark=/color-scheme:dark/.test(style.textContent)
const check=()=>{if(dark&&!isReadable())style.textContent=light}
addEventListener('load',check)
addEventListener('message',({source,data})=>{
  if(source!==parent||data?.type!=='ck:look')return
  style.textContent=data.look
  dark=/color-scheme:dark/.test(data.look)
  check()
})
})()`
