import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './app/page.css'
import './app/touch.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { announceNonce } from './app/style-nonce.ts'

announceNonce()
const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element with the id root')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
