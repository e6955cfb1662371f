import vue from '@vitejs/plugin-vue'
import { defineConfig, type PreviewServer, type ViteDevServer } from 'vite'
import { answerToken } from '../visitor-token.mjs'

const { PARLEY_URL = 'http://127.0.0.1:8020' } = process.env

/** This program's own back end, as far as the chat needs one: `POST /token`; see examples/react-app. */
const backEnd = ({ middlewares }: ViteDevServer | PreviewServer) => {
  middlewares.use('/token', (request, response) => void answerToken(request, response))
}

const parley = { target: PARLEY_URL, changeOrigin: true, headers: { origin: PARLEY_URL } }
const proxy = {
  '/api': parley,
  '/socket.io': { ...parley, ws: true },
  '^/embed(?:\\.js|/)': { target: PARLEY_URL, changeOrigin: true },
}

export default defineConfig({
  plugins: [
    // Vue leaves elements it does not know to the browser only when told so.
    vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === 'parley-chat' } } }),
    { name: 'back-end', configureServer: backEnd, configurePreviewServer: backEnd },
  ],
  server: { host: '127.0.0.1', port: 8060, proxy },
  preview: { host: '127.0.0.1', port: 8060, proxy },
})
