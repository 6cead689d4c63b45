import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './app/page.css'
import './app/touch.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { announceNonce } from './app/style-nonce.ts'
import { loadLanguage } from './texts/catalogue.ts'
import { language } from './texts/language.ts'

announceNonce()
document.documentElement.lang = language
const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element with the id root')
// Without the catalogue of another language the texts are English.
void loadLanguage()
  .catch(() => undefined)
  .then(() =>
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  )
