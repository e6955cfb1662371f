import react from '@vitejs/plugin-react'
import { defineConfig, type PreviewServer, type ViteDevServer } from 'vite'
import { answerToken } from '../visitor-token.mjs'

const { PARLEY_URL = 'http://127.0.0.1:8020' } = process.env

/** This program's own back end, as far as the chat needs one: `POST /token`. The key stays there. */
const backEnd = ({ middlewares }: ViteDevServer | PreviewServer) => {
  middlewares.use('/token', (request, response) => void answerToken(request, response))
}

/** What the browser asks of Parley passes through this site, with the visitor's token and nothing else. */
const parley = { target: PARLEY_URL, changeOrigin: true, headers: { origin: PARLEY_URL } }
const proxy = { '/api': parley, '/socket.io': { ...parley, ws: true } }

export default defineConfig({
  plugins: [react(), { name: 'back-end', configureServer: backEnd, configurePreviewServer: backEnd }],
  server: { host: '127.0.0.1', port: 8040, proxy },
  preview: { host: '127.0.0.1', port: 8040, proxy },
})
