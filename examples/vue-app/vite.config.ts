import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'

const { PARLEY_URL = 'http://127.0.0.1:8020', PARLEY_KEY = '' } = process.env

/** Stands in for this program's own back end, which adds the key; see examples/react-app. */
const parley = {
  target: PARLEY_URL,
  changeOrigin: true,
  headers: { authorization: `Bearer ${PARLEY_KEY}`, origin: PARLEY_URL },
}
const proxy = {
  '/api': parley,
  '/socket.io': { ...parley, ws: true },
  '^/embed(?:\\.js|/)': { target: PARLEY_URL, changeOrigin: true },
}

export default defineConfig({
  // Vue leaves elements it does not know to the browser only when told so.
  plugins: [vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === 'parley-chat' } } })],
  server: { host: '127.0.0.1', port: 8060, proxy },
  preview: { host: '127.0.0.1', port: 8060, proxy },
})
