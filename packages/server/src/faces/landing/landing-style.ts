/** Colours as the chat has them (packages/chatkit/src/react/kit/theme.css), so that both look like one. */
export const LANDING_STYLE = `
:root{color-scheme:light dark;--bg:#eef0f3;--card:#fff;--text:#1b1f26;--muted:#5a6270;--line:#d9dde3;--danger:#b3261e;--on-danger:#fff;--good:#1a7f4b}
@media(prefers-color-scheme:dark){:root{--bg:#0e1014;--card:#15171c;--text:#e9ebef;--muted:#a3aab6;--line:#343944;--danger:#ff8a80;--on-danger:#2b0a07;--good:#6fd39b}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.6 system-ui,-apple-system,"Segoe UI","Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif}
main{display:flex;gap:1.5rem;justify-content:center;min-height:100dvh;margin:0 auto;padding:1.5rem}
.side{display:flex;flex:0 1 40rem;flex-direction:column;gap:1.25rem}
main:has(#chat:not([hidden])) .side{flex:0 0 21rem}
h1{margin:0;font-size:1.5rem;line-height:1.3}
h1::before{content:"";display:inline-block;width:.6rem;height:.6rem;margin-inline-end:.6rem;border-radius:50%;background:var(--good)}
body[data-gone] h1::before{background:var(--danger)}
h2{margin:0;font-size:1.05rem}
p{margin:0}
header p,.about,footer{color:var(--muted)}
header p{margin-top:.4rem}
#sign-in,#crash{padding:1.1rem;border:1px solid var(--line);border-radius:.75rem;background:var(--card)}
#crash{display:flex;flex-direction:column;gap:.8rem}
.about,.hint{font-size:.9rem}
.hint:empty{display:none}
.buttons{display:flex;flex-wrap:wrap;gap:.6rem}
button{padding:.55rem 1rem;border:1px solid var(--line);border-radius:.6rem;background:transparent;color:inherit;font:inherit;font-weight:600;cursor:pointer}
button:focus-visible{outline:2px solid var(--text);outline-offset:2px}
button.kill{border-color:transparent;background:var(--danger);color:var(--on-danger)}
button:disabled{border:1px dashed var(--line);background:transparent;color:var(--muted);font-weight:400;opacity:.6;cursor:not-allowed}
ol{display:flex;flex-direction:column;gap:.5rem;margin:0;padding:0;list-style:none;font-size:.9rem}
ol:empty{display:none}
li{position:relative;padding-inline-start:1.5rem}
li::before{position:absolute;inset-inline-start:0;font-weight:700}
li[data-step=killed]::before{content:"✕";color:var(--danger)}
li[data-step=back]::before{content:"↻"}
li[data-step=on]::before{content:"▸"}
li[data-step=done]::before{content:"✓";color:var(--good)}
li[data-step=lost]::before{content:"!";color:var(--danger)}
footer{display:flex;flex-direction:column;gap:.4rem;margin-top:auto;font-size:.85rem}
a{color:inherit;text-underline-offset:.2em}
a:focus-visible{outline:2px solid var(--text);outline-offset:2px}
code{padding:.1em .35em;border-radius:4px;background:color-mix(in srgb,currentColor 10%,transparent);font-size:.9em}
#chat{display:flex;flex:0 1 45rem;flex-direction:column;min-width:0;height:calc(100dvh - 3rem);border:1px solid var(--line);border-radius:.75rem;overflow:hidden;background:var(--card)}
label{display:flex;gap:.6rem;align-items:center;padding:.5rem .75rem;border-bottom:1px solid var(--line);color:var(--muted);font-size:.9rem}
select{min-width:0;flex:0 1 auto;padding:.3rem .5rem;border:1px solid var(--muted);border-radius:.5rem;background:var(--card);color:var(--text);font:inherit}
select:focus-visible{outline:2px solid var(--text);outline-offset:2px}
parley-chat{display:block;flex:1;min-height:0}
@media(max-width:56rem){
main:has(#chat:not([hidden])){flex-direction:column;gap:.75rem;height:100dvh;padding:.75rem 0 0}
main:has(#chat:not([hidden])) .side{flex:none;gap:.75rem;padding-inline:.75rem}
main:has(#chat:not([hidden])) :is(header p,footer,h2,.about,li:not(:last-child)){display:none}
h1{font-size:1.15rem}
#crash{gap:.5rem;padding:.75rem}
#chat{flex:1;height:auto;min-height:0;border-width:1px 0 0;border-radius:0}
}
`
