/** Colours as the console has them (apps/console/src/theme/tokens.css); a test compares them. */
export const GUIDE_STYLE = `
:root{color-scheme:light dark;--canvas:light-dark(#f5f4f1,#121211);--surface:light-dark(#ffffff,#191917);--raised:light-dark(#faf9f7,#20201e);--hover:light-dark(#efede8,#272724);--selected:light-dark(#e9e6e0,#2d2d2a);--line:light-dark(#e4e1da,#302f2c);--text:light-dark(#1c1b19,#eceae4);--muted:light-dark(#5c5850,#aba79d);--accent:light-dark(#2a4fcb,#8eacff);--accent-hover:light-dark(#213fa6,#a9c0ff)}
@media(prefers-contrast:more){:root{--line:var(--text);--muted:var(--text)}}
*{box-sizing:border-box}
html{scroll-padding-top:16px}
body{display:grid;grid-template:auto 1fr/248px minmax(0,1fr);min-height:100dvh;margin:0;background:var(--canvas);color:var(--text);font:15px/24px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","PingFang SC","Microsoft YaHei UI","Microsoft YaHei","Noto Sans CJK SC","Noto Sans SC","Source Han Sans SC",sans-serif;text-autospace:normal;overflow-wrap:break-word}
:root:lang(zh) body{line-height:26px;line-break:strict}
:root:lang(en) article :is(p:not(.next),li){max-width:68ch}
a{color:var(--accent);text-underline-offset:3px}
a:hover{color:var(--accent-hover)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
main:focus{outline:none}
.skip{position:absolute;left:-999px}
.skip:focus{left:12px;top:12px;z-index:1;padding:4px 12px;background:var(--surface)}
header{display:flex;grid-column:1/-1;align-items:center;justify-content:space-between;gap:16px;height:52px;padding:0 24px}
header p{display:flex;align-items:center;gap:24px;margin:0}
header a,nav a{color:var(--muted);font-size:13px;line-height:20px;text-decoration:none}
header a:hover,nav a:hover{color:var(--text)}
.mark{color:var(--text);font-size:17px;font-weight:600;letter-spacing:-.01em}
.mark span{margin-left:8px;color:var(--muted);font-weight:400;letter-spacing:0}
nav{position:sticky;top:0;align-self:start;max-height:100dvh;padding:8px 12px 24px;overflow:auto}
nav a{display:block;padding:7px 12px;border-radius:8px;font-size:14px}
nav a:hover{background:var(--hover)}
nav a[aria-current]{background:var(--selected);color:var(--text);font-weight:600}
nav ul{margin:4px 0 8px 18px;padding:0;border-left:1px solid var(--line);list-style:none}
nav li a{padding:4px 12px;font-size:13px}
main{margin:0 8px 8px 0;border:1px solid var(--line);border-radius:14px;background:var(--surface)}
article{max-width:792px;margin:0 auto;padding:32px 24px 48px}
h1{margin:0 0 16px;font-size:26px;line-height:36px;font-weight:600;text-wrap:balance}
h2{margin:48px 0 12px;font-size:20px;line-height:28px;font-weight:600;text-wrap:balance}
h3{margin:24px 0 8px;font-size:15px;line-height:24px;font-weight:600}
:root:lang(en) :is(h1,h2){letter-spacing:-.01em}
p,ul,ol{margin:12px 0;text-wrap:pretty}
ul,ol{padding-left:24px}
li{margin:4px 0}
code{padding:2px 4px;border-radius:4px;background:var(--raised);font:.867em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"JetBrains Mono","Noto Sans Mono CJK SC",monospace;font-variant-ligatures:none;overflow-wrap:anywhere}
figure{margin:16px 0;border:1px solid var(--line);border-radius:10px;background:var(--raised);overflow:hidden}
figcaption{padding:7px 16px;border-bottom:1px solid var(--line);color:var(--muted);font-size:12px;line-height:16px}
pre{margin:0;padding:12px 16px;line-height:20px;overflow-x:auto}
pre:focus-visible{outline-offset:-3px;border-radius:10px}
pre code{padding:0;background:none;font-size:13px;line-height:20px;overflow-wrap:normal}
.wide{margin:16px 0;overflow-x:auto}
table{width:100%;border-collapse:collapse;font-size:14px;line-height:20px}
th,td{padding:8px 16px 8px 0;border-top:1px solid var(--line);text-align:start;vertical-align:top}
thead th{border-top:0;color:var(--muted);font-size:12px;line-height:16px;font-weight:500}
td code{overflow-wrap:normal}
td:first-child{min-width:9em}
td:first-child code{white-space:nowrap}
.next{margin-top:48px;padding-top:16px;border-top:1px solid var(--line);color:var(--muted)}
@media(max-width:767px){body{display:block}header{height:auto;flex-wrap:wrap;gap:4px 16px;padding:12px 16px}header p{gap:16px}header p a{padding:8px 0}nav{position:static;display:flex;flex-wrap:wrap;gap:0 4px;max-height:none;padding:0 4px 8px}nav a{padding:9px 12px}nav ul{display:none}main{margin:0;border-width:1px 0 0;border-radius:14px 14px 0 0}article{padding:24px 16px 48px}td:first-child{min-width:7em}td:first-child code{white-space:normal}}
@media(prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
@media print{header,nav,.next{display:none}body{display:block;background:none}main{border:0}}
`
