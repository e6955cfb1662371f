import type { Catalogue } from '../../texts/language.ts'
import type { Kind } from './snippets.ts'

const en = {
  title: 'Embed',
  about: 'Put the conversation into your own product. Every snippet is filled in with this server’s address.',
  kinds: {
    script: 'Script tag',
    element: 'Element',
    react: 'React',
    iframe: 'iframe',
    http: 'HTTP',
    socket: 'Socket.IO',
  } satisfies Record<Kind, string> as Record<Kind, string>,
  address: 'Your page’s address',
  addressHint: 'Where the chat will stand, e.g. https://shop.example.com',
  allowed: 'This page may use the server.',
  notAllowed: 'The server refuses this page until it is started with this:',
  badAddress: 'An address such as https://shop.example.com',
  who: 'Who may talk',
  whoText:
    'Visitors sign in with a short-lived token that your own server makes. An API key never belongs in a page: whoever reads the page could act as you.',
  token: 'Your server answers POST /token',
  snippet: 'Put this into your page',
  preview: 'Preview',
  heading: 'Ask us',
}
type Words = typeof en

const zh: Words = {
  title: '嵌入',
  about: '把对话放进你自己的产品。每段代码都已填好这台服务器的地址。',
  kinds: { script: '脚本标签', element: '元素', react: 'React', iframe: 'iframe', http: 'HTTP', socket: 'Socket.IO' },
  address: '你的页面地址',
  addressHint: '聊天所在的页面，例如 https://shop.example.com',
  allowed: '这个页面可以使用服务器。',
  notAllowed: '服务器目前会拒绝这个页面，启动时需要加上：',
  badAddress: '请写成 https://shop.example.com 这样的地址',
  who: '谁可以对话',
  whoText: '访客用你自己的服务器签发的短期令牌登录。API 密钥不要放进页面：看到页面的人就能以你的身份操作。',
  token: '由你的服务器回答 POST /token',
  snippet: '放进你的页面',
  preview: '预览',
  heading: '问我们',
}

export const embedWords: Catalogue<Words> = { en, zh }
