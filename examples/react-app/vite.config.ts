import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const { PARLEY_URL = 'http://127.0.0.1:8020', PARLEY_KEY = '' } = process.env

/**
 * Stands in for this program's own back end: what goes to Parley passes through it and gets the key there, so that no
 * browser ever sees the key. A real back end checks first who is asking.
 */
const parley = {
  target: PARLEY_URL,
  changeOrigin: true,
  headers: { authorization: `Bearer ${PARLEY_KEY}`, origin: PARLEY_URL },
}
const proxy = { '/api': parley, '/socket.io': { ...parley, ws: true } }

export default defineConfig({
  plugins: [react()],
  server: { host: '127.0.0.1', port: 8040, proxy },
  preview: { host: '127.0.0.1', port: 8040, proxy },
})
