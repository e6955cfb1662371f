import type { IncomingMessage, ServerResponse } from 'node:http'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type ProxyOptions } from 'vite'
import { coze } from './stand-ins/coze.ts'
import { dify } from './stand-ins/dify.ts'

const { COZE_URL, DIFY_URL, DIFY_KEY = '' } = process.env

/** With the platforms' addresses given, requests go there; Dify's key is added here, where no browser sees it. */
const proxy: Record<string, ProxyOptions> = {
  ...(COZE_URL && { '/coze': { target: COZE_URL, changeOrigin: true, rewrite: (path) => path.slice('/coze'.length) } }),
  ...(DIFY_URL && {
    '/dify': {
      target: DIFY_URL,
      changeOrigin: true,
      headers: { authorization: `Bearer ${DIFY_KEY}` },
      rewrite: (path) => path.slice('/dify'.length),
    },
  }),
}

export default defineConfig({
  plugins: [react(), standIns()],
  server: { host: '127.0.0.1', port: 8050, proxy },
  preview: { host: '127.0.0.1', port: 8050, proxy },
})

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Without them: small servers that speak the same wire formats. */
function standIns(): Plugin {
  const token: Handler = (_request, response) => void response.end(process.env['COZE_TOKEN'] ?? 'fresh')
  const install = ({ middlewares }: { middlewares: { use: (path: string, handler: Handler) => unknown } }) => {
    middlewares.use('/token', token)
    if (!COZE_URL) middlewares.use('/coze', coze)
    if (!DIFY_URL) middlewares.use('/dify/v1', dify)
  }
  return { name: 'stand-ins', configureServer: install, configurePreviewServer: install }
}
