import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { collectWorkerLicenses, writeWorkerLicenses } from '../scripts/web-build/worker-licenses.ts'

/** Modules of the file browser: what the list of a folder needs, and what is opened from it. */
const folderModules =
  /web.src.files.(?:files-|browse.(?!open-overlays|help)|carry|entries|folder-sizes|grid|header|listing|search|stars|thumbnails.thumbnails?\.|tiles|transfers.(?!transfer-dock.tsx)|upload.(?!transport|direct|uppy|reading))|react-virtual/
const dialogModules = /web.src.files.(?:browse|change|menus|upload.reading)/
/** Menus and dialogs, which no page needs to be shown. `common` has no module that imports one of them. */
const popupModules =
  /@floating-ui|@mantine.core.esm.(?:components.(?:Menu|Modal|ModalBase|Overlay|Popover|Table|ScrollArea(?!.utils)|FocusTrap)|utils.Floating)\b|hooks.esm.(?:use-focus|use-click-outside|use-long-press)|web.src.ui.(?:confirm|form-dialog|more-menu)/
/** What a page shares with few others. */
const partModules =
  /@mantine|@tabler|web.src.(?:ui.(?!copy)|shares.shares-queries|files.(?:files-location|entries))/

/**
 * Few large chunks, because a request costs more than the code of a small one. The rest is divided by page. A module is
 * in the chunk of the highest priority; test/browser/first-load.test.ts has limits for what they become.
 */
const chunks = [
  // The page of a link has this part of the dashboard, and nothing else.
  { name: 'pictures', test: /web.src.pictures/, priority: 6 },
  {
    name: 'index',
    tags: ['$initial' as const],
    // The other two pages share nothing with the dashboard.
    test: /^(?!.*(?:swagger-ui-dist|src.docs|src.share-page|\.html))/,
    priority: 5,
  },
  { name: 'popups', test: popupModules, includeDependenciesRecursively: false, priority: 4 },
  { name: 'common', minShareCount: 4, test: /node_modules|web.src/, priority: 3 },
  { name: 'parts', minShareCount: 2, test: partModules, priority: 2 },
  { name: 'folder', test: folderModules, priority: 1 },
  { name: 'dialogs', test: dialogModules, priority: 0 },
]

/** The gateway serves the build. Names under `assets/` contain a hash. */
export default defineConfig({
  base: '/-/',
  plugins: [react(), writeWorkerLicenses],
  worker: { plugins: () => [collectWorkerLicenses] },
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
      output: { codeSplitting: { groups: chunks } },
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
