/** A small collection that is true, so that the demo's answers are. */
export const DEMO_CONTENT: readonly { title: string; content: string }[] = [
  {
    title: 'Parley in short',
    content: `# Parley in short

## Confirmations

A call of high risk waits for a person. A confirmation that nobody decides expires after fifteen minutes; the call is then not run, and the model is told so. Whoever decides first wins, on any device and on any instance of the server.

## What survives a crash

Every step of a run is stored before it is shown. When a server dies, another instance takes its runs over after the lease of ten seconds; a single server goes on with them as soon as it is started again. A tool call whose outcome nobody knows is reported as unknown and never silently repeated.

## Knowledge

Documents are added with \`npx parley knowledge add FOLDER\`: Markdown, text, HTML and PDF. What fits a question is given to the model together with it, and answers name their sources.
`,
  },
  {
    title: 'Parley 简介',
    content: `# Parley 简介

## 确认请求

高风险的调用要等人确认。没有人处理的确认请求十五分钟后过期；这次调用不会执行，模型会得知这一点。无论在哪台设备、哪个实例上，先做出决定的人算数。

## 崩溃之后

运行的每一步都先存储、再显示。服务器崩溃后，另一个实例会在十秒的租约到期后接管它的运行；只有一台服务器时，它重新启动后立即继续。结果不明的工具调用会如实报告，绝不会悄悄重做。

## 知识库

用 \`npx parley knowledge add 文件夹\` 添加文档：Markdown、纯文本、HTML 和 PDF。与问题相关的段落会随问题一起交给模型，回答会注明来源。
`,
  },
]
