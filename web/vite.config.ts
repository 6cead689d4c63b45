import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The gateway serves the build. Names under `assets/` contain a hash. */
export default defineConfig({
  base: '/-/',
  plugins: [react()],
  // The gateway puts the nonce of each reply in its place: src/dashboard/web-app/page-policy.ts.
  html: { cspNonce: 'bucketry-csp-nonce' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsDir: 'assets',
    // No asset becomes a data: URL: the page's policy allows none for fonts and scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The API reference and the page of shares are separate pages: they and the dashboard do not load each other.
    rolldownOptions: {
      input: ['index.html', 'docs.html', 'share.html'].map((name) =>
        join(import.meta.dirname, name),
      ),
    },
    // All support light-dark() and nested rules, which are not transpiled.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    reportCompressedSize: false,
    // Swagger UI is one file.
    chunkSizeWarningLimit: 1_600,
    manifest: 'manifest.json',
    license: { fileName: 'licenses.md' },
  },
})
