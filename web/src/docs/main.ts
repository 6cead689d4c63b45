import SwaggerUIBundle from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import 'swagger-ui-dist/swagger-ui.css'
import './docs.css'

const dark = matchMedia('(prefers-color-scheme: dark)')
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', applyScheme)
applyScheme()

SwaggerUIBundle({
  url: '/-/openapi.json',
  dom_id: '#root',
  // Read-only: an operation sent from here would need a session or a signature.
  supportedSubmitMethods: [],
  // The schemas are shown where they are used.
  defaultModelsExpandDepth: -1,
})
