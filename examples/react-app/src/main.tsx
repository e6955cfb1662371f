import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '@parley/chatkit/chatkit.css'
import './app.css'
import { App } from './app.tsx'

createRoot(document.querySelector('#app')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
