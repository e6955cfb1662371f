import type { FastifyInstance } from 'fastify'

const WORDS = {
  zh: ['Parley 正在运行', '在终端里对话:', '接口地址:'],
  en: ['Parley is running', 'Talk to it from a terminal:', 'Its interfaces:'],
}

/** What a browser finds at the address itself, also after signing in: that the server is there, and how to go on. */
export function landingPage(app: FastifyInstance, language: 'zh' | 'en'): void {
  const [title, terminal, interfaces] = WORDS[language]
  const page = `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Parley</title><style>body{font:16px/1.6 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}
code{background:#8882;padding:.2em .4em;border-radius:4px}</style>
<h1>${title}</h1><p>${terminal} <code>npx parley chat</code></p>
<p>${interfaces} <code>/api/health</code> <code>/api/version</code> <code>/api/sessions</code> <code>/socket.io/</code></p></html>`
  app.get('/', async (_request, reply) =>
    reply
      .type('text/html')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .send(page),
  )
}
