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
  where: 'Where it will stand',
  address: 'Your page’s address',
  addressHint: 'Where the chat will stand, e.g. https://shop.example.com',
  allowed: 'Allowed: pages there may use this server.',
  notAllowed: 'The server refuses pages from there until it is started with this:',
  askOwner: 'Whether pages from there are let in, an owner of this server can see.',
  badAddress: 'An address such as https://shop.example.com',
  who: 'Who may talk',
  whoText:
    'Visitors come with a short-lived token, which your own server hands out at POST /token. An API key never belongs in a page: whoever reads the page could act as you.',
  ways: { node: 'A token, with Node', python: 'A token, with Python', login: 'Your own login' },
  login:
    'Your login signs JWTs already: name its keys in parley.config.ts, and let POST /token answer with the JWT of whoever is signed in.',
  showCode: 'Show the code',
  hideCode: 'Hide the code',
  noAddress: 'With an address that is let in, you see here when the first visit comes.',
  waiting: (host: string) => `Waiting for the first visit from ${host}. Open the chat on your page.`,
  visited: (host: string, time: string) => `It works: the first visit from ${host} came at ${time}.`,
  fromServer: 'From your own server or a script, with an API key in PARLEY_KEY. Settings has keys.',
  snippet: 'Put this into your page',
  preview: 'Preview',
  heading: 'Ask us',
}
type Words = typeof en

const zh: Words = {
  title: '嵌入',
  about: '把对话放进你自己的产品。每段代码都已填好这台服务器的地址。',
  kinds: { script: '脚本标签', element: '元素', react: 'React', iframe: 'iframe', http: 'HTTP', socket: 'Socket.IO' },
  where: '放在哪里',
  address: '你的页面地址',
  addressHint: '聊天所在的页面，例如 https://shop.example.com',
  allowed: '允许：那里的页面可以使用这台服务器。',
  notAllowed: '服务器目前会拒绝那里的页面，启动时需要加上：',
  askOwner: '那里的页面能否使用服务器，只有所有者能看到。',
  badAddress: '请写成 https://shop.example.com 这样的地址',
  who: '谁可以对话',
  whoText:
    '访客使用短期令牌，由你自己的服务器在 POST /token 发放。API 密钥不要放进页面：看到页面的人就能以你的身份操作。',
  ways: { node: '令牌，用 Node', python: '令牌，用 Python', login: '你自己的登录' },
  login: '你的登录已经签发 JWT：在 parley.config.ts 里写明它的公钥，再让 POST /token 返回当前登录者的 JWT。',
  showCode: '显示代码',
  hideCode: '隐藏代码',
  noAddress: '填写允许的地址后，第一次访问到来时会显示在这里。',
  waiting: (host) => `等待来自 ${host} 的第一次访问。请在你的页面上打开聊天。`,
  visited: (host, time) => `成功：来自 ${host} 的第一次访问在 ${time} 到来。`,
  fromServer: '在你自己的服务器或脚本里使用，API 密钥放在 PARLEY_KEY 里。密钥在“设置”中创建。',
  snippet: '放进你的页面',
  preview: '预览',
  heading: '问我们',
}

export const embedWords: Catalogue<Words> = { en, zh }
