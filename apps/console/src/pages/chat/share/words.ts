import type { Catalogue } from '../../../texts/language.ts'

const en = {
  title: 'Share this session',
  close: 'Close',
  cancel: 'Cancel',
  again: 'Try again',
  off: 'Links are switched off on this server.',
  shows: 'Whoever has the link can read the finished turns, as they are when it is opened. Nobody can write.',
  leftOut:
    'Left out: thoughts, files, memories, summaries, passages of documents, and values of variables. Known secrets stand there as [secret].',
  lifetime: 'How long it works',
  days: (days: number) => (days === 0 ? 'Until you revoke it' : days === 1 ? 'One day' : `${days} days`),
  make: 'Make a link',
  link: 'The new link',
  once: 'Copy the link now. It is not shown again.',
  links: (count: number) => (count === 1 ? 'One link works' : `${count} links work`),
  made: (ago: string) => `Made ${ago}`,
  until: (time: string) => `Works until ${time}`,
  noEnd: 'Works until you revoke it',
  revoke: 'Revoke',
  export: 'Export',
  exportText: 'The ZIP has all turns and files and can be imported on another server. Secrets are never in it.',
  zip: 'Export as ZIP',
  markdown: 'As Markdown',
  exporting: (size: string) => `Exporting, ${size} so far`,
}
type Words = typeof en

const zh: Words = {
  title: '分享这个会话',
  close: '关闭',
  cancel: '取消',
  again: '再试一次',
  off: '这台服务器关闭了分享链接。',
  shows: '拿到链接的人可以阅读已完成的内容，以打开时为准。没有人能写入。',
  leftOut: '不会显示：思考过程、文件、记忆、摘要、文档段落和变量的值。已知的密钥显示为 [secret]。',
  lifetime: '有效期',
  days: (days) => (days === 0 ? '直到你撤销' : `${days} 天`),
  make: '创建链接',
  link: '新链接',
  once: '现在复制链接，之后不再显示。',
  links: (count) => `${count} 个有效链接`,
  made: (ago) => `${ago}创建`,
  until: (time) => `有效期至 ${time}`,
  noEnd: '撤销前一直有效',
  revoke: '撤销',
  export: '导出',
  exportText: 'ZIP 包含全部内容和文件，可以导入另一台服务器，其中没有密钥。',
  zip: '导出为 ZIP',
  markdown: '导出为 Markdown',
  exporting: (size) => `正在导出，已有 ${size}`,
}

export const shareWords: Catalogue<Words> = { en, zh }
