/** Colours as the page at `/` has them. */
export const API_STYLE = `
:root{color-scheme:light dark;--bg:#eef0f3;--card:#fff;--text:#1b1f26;--muted:#5a6270;--line:#d9dde3;--read:#17713f;--write:#8a5a00;--remove:#b3261e}
@media(prefers-color-scheme:dark){:root{--bg:#0e1014;--card:#15171c;--text:#e9ebef;--muted:#a3aab6;--line:#343944;--read:#6fd39b;--write:#e8bd6a;--remove:#ff8a80}}
*{box-sizing:border-box}
html{scroll-padding-top:3.5rem}
body{display:flex;gap:2rem;max-width:80rem;margin:0 auto;padding:1.5rem;background:var(--bg);color:var(--text);font:15px/1.55 system-ui,-apple-system,"Segoe UI","Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif}
nav{position:sticky;top:1.5rem;display:flex;flex:0 0 9rem;flex-direction:column;align-self:flex-start;max-height:calc(100dvh - 3rem);overflow:auto}
nav a{padding:.15rem 0;color:var(--muted);text-decoration:none}
nav a:hover{color:var(--text);text-decoration:underline}
main{flex:1;min-width:0}
a{color:inherit;text-underline-offset:.2em}
a:focus-visible,summary:focus-visible,pre:focus-visible{outline:2px solid var(--text);outline-offset:2px}
h1{margin:0 0 .5rem;font-size:1.5rem}
h2{margin:2rem 0 .6rem;font-size:1.15rem}
h3{margin:1rem 0 .25rem;color:var(--muted);font-size:.85rem}
p{margin:.35rem 0}
small{color:var(--muted);font-weight:400}
h1 small{font-size:.9rem}
code,pre{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,"Noto Sans CJK SC",monospace}
details{border:1px solid var(--line);border-top-width:0;background:var(--card)}
h2+details{border-top-width:1px;border-radius:.75rem .75rem 0 0}
details:last-child{border-radius:0 0 .75rem .75rem}
h2+details:last-child{border-radius:.75rem}
summary{padding:.55rem 1rem;cursor:pointer;list-style:none;overflow-wrap:anywhere}
summary::-webkit-details-marker{display:none}
summary:hover{background:color-mix(in srgb,currentColor 5%,transparent)}
summary b{display:inline-block;width:4.5em;font-size:.8em;letter-spacing:.03em}
summary span{color:var(--muted);font-size:.92em;margin-inline-start:.5em}
details>div{padding:0 1rem 1rem}
pre{margin:.5rem 0;padding:.6rem .75rem;border-radius:.5rem;background:var(--bg);white-space:pre-wrap;overflow-wrap:anywhere;user-select:all}
.get{color:var(--read)}.post,.put,.patch{color:var(--write)}.delete{color:var(--remove)}
table{width:100%;border-collapse:collapse;font-size:.92em}
th,td{padding:.3rem .75rem .3rem 0;border-top:1px solid var(--line);font-weight:400;text-align:start;vertical-align:top;overflow-wrap:anywhere}
th{width:15rem}
@media(max-width:50rem){html{scroll-padding-top:1rem}body{flex-direction:column;gap:1rem;padding:1rem}nav{position:static;flex:none;flex-flow:row wrap;align-self:auto;gap:0 .9rem;max-height:none}nav a{padding:.3rem 0}summary span{display:block;margin:0}th{width:10rem}}
`
