/** Colours as the chat has them (packages/chatkit/src/react/kit/theme.css). */
export const SHARE_STYLE = `
:root{color-scheme:light dark;--bg:#eef0f3;--card:#fff;--text:#1b1f26;--muted:#5a6270;--line:#d9dde3}
@media(prefers-color-scheme:dark){:root{--bg:#0e1014;--card:#15171c;--text:#e9ebef;--muted:#a3aab6;--line:#343944}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.6 system-ui,-apple-system,"Segoe UI","Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif}
main{display:flex;flex-direction:column;gap:1rem;max-width:48rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{margin:0;font-size:1.4rem;line-height:1.3;overflow-wrap:anywhere}
header p,.remark,h2,h3,time{color:var(--muted)}
header p,.remark{margin:.3rem 0 0;font-size:.9rem}
article{padding:.9rem 1.1rem;border:1px solid var(--line);border-radius:.75rem;background:var(--card);overflow-wrap:anywhere}
article.user{margin-inline-start:15%}
article.inner{margin-inline-start:2rem}
h2,h3{margin:0;font-size:.8rem;font-weight:600}
h3{margin-top:.8rem}
time{font-weight:400}
p{margin:.5rem 0 0;white-space:pre-wrap}
ul,ol{margin:.4rem 0 0;padding-inline-start:1.4rem}
li{white-space:pre-wrap}
h3+ul{font-size:.9rem}
.heading{font-weight:600;font-size:1.1rem}
table{display:block;margin-top:.5rem;border-collapse:collapse;overflow-x:auto}
td{padding:.3rem .6rem;border:1px solid var(--line)}
a{color:inherit}
details{margin-top:.6rem;font-size:.9rem}
summary{cursor:pointer;color:var(--muted)}
pre{max-height:30rem;margin:.5rem 0 0;padding:.7rem;border-radius:.5rem;background:var(--bg);overflow:auto;white-space:pre-wrap;font-size:.85rem}
code{font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:.9em}
p code,li code,td code{padding:.1em .35em;border-radius:4px;background:var(--bg)}
`
