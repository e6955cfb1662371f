import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '@parley/chatkit/chatkit.css'
import './app.css'
import { App } from './app.tsx'
import { getToken } from './get-token.ts'

// Without a token the page still comes up, and the chat says what is wrong.
const token = await getToken().catch(() => '')

createRoot(document.querySelector('#app')!).render(
  <StrictMode>
    <App token={token} />
  </StrictMode>,
)
