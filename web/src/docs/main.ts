import SwaggerUIBundle from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import 'swagger-ui-dist/swagger-ui.css'
import './docs.css'

const dark = matchMedia('(prefers-color-scheme: dark)')
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', applyScheme)
applyScheme()

/** Swagger UI's headings skip the level below the title, h3 follows h1, and its title is in no landmark. */
new MutationObserver(() => {
  for (const heading of document.querySelectorAll('h3, h4, h5')) {
    heading.ariaLevel = String(Number(heading.tagName.slice(1)) - 1)
  }
  for (const top of document.querySelectorAll('.information-container')) top.role = 'banner'
}).observe(document.body, { childList: true, subtree: true })

SwaggerUIBundle({
  url: '/-/openapi.json',
  dom_id: '#root',
  // Read-only: an operation sent from here would need a session or a signature.
  supportedSubmitMethods: [],
  // The schemas are shown where they are used.
  defaultModelsExpandDepth: -1,
})
