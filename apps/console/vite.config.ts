import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'

const { PARLEY_URL = 'http://127.0.0.1:8020' } = process.env
/** What the browser asks of the server while the console is worked on: `npx vite` here, beside a running server. */
const parley = { target: PARLEY_URL, changeOrigin: true, headers: { origin: PARLEY_URL } }

export default defineConfig({
  root: import.meta.dirname,
  plugins: [tailwindcss()],
  resolve: { conditions: ['parley-source', 'module', 'browser', 'production'], dedupe: ['react', 'react-dom'] },
  build: {
    outDir: 'bundle',
    emptyOutDir: true,
    manifest: 'manifest.json',
    // Nothing of a page may be data in its address: the policy of the server allows scripts and styles as files only.
    assetsInlineLimit: 0,
    target: ['chrome125', 'safari18', 'firefox128'],
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2_000,
  },
  server: {
    host: '127.0.0.1',
    port: 8050,
    proxy: {
      '/api': parley,
      '/embed': parley,
      '/chat': parley,
      '/docs': parley,
      '/socket.io': { ...parley, ws: true },
    },
  },
})
