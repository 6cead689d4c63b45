import { appendFileSync, copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { licenseOf, packageFolders } from '../server-build/bundled-licenses.ts'

/** Vite's list has the packages of pages only. Workers are builds of their own. */
const folders = new Set<string>()

/** For the builds of workers: remembers their packages. */
export const collectWorkerLicenses: Plugin = {
  name: 'collect-worker-licenses',
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((file) =>
      file.type === 'chunk' ? file.moduleIds : [],
    )
    for (const folder of packageFolders(modules)) folders.add(folder)
  },
}

/** For the build of the pages: appends the licenses of what workers contain to licenses.md, and that of the files of libheif. */
export const writeWorkerLicenses: Plugin = {
  name: 'write-worker-licenses',
  writeBundle({ dir = '' }) {
    const heif = join(import.meta.dirname, '../../node_modules/libheif-js/libheif-wasm/LICENSE')
    copyFileSync(heif, join(dir, 'libheif-license.txt'))
    const list = join(dir, 'licenses.md')
    const named = new Set(readFileSync(list, 'utf8').match(/^## \S+/gm))
    const texts = [...folders].sort().map(licenseOf)
    const missing = texts.filter((text) => !named.has(/^## \S+/.exec(text)?.[0] ?? ''))
    appendFileSync(list, `\n${missing.join('\n\n')}\n`)
  },
}
