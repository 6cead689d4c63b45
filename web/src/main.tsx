import './app/mantine.css'
import './app/page.css'
import './app/touch.css'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { loadPage } from './app/pages.ts'
import { announceNonce } from './app/style-nonce.ts'
import { sessionStore } from './session/session-store.ts'
import { loadLanguage } from './texts/catalogue.ts'
import { language } from './texts/language.ts'

announceNonce()
document.documentElement.lang = language
const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element with the id root')

/** How long the frame of the page waits for its content. */
const longestWaitMs = 200

async function loadContent(): Promise<void> {
  if (sessionStore.status === 'none') return
  const ended = new Promise<void>((resolve) => setTimeout(resolve, longestWaitMs))
  await Promise.race([loadPage(location.pathname), ended])
}

// Without the catalogue of another language the texts are English. A page that cannot be loaded says so itself.
void loadLanguage()
  .catch(() => undefined)
  .then(loadContent)
  .catch(() => undefined)
  .then(() =>
    // In steps: the whole page, drawn at once, is a task of 50 ms, in which the browser answers nothing.
    startTransition(() =>
      createRoot(root).render(
        <StrictMode>
          <App />
        </StrictMode>,
      ),
    ),
  )
