import { dirname, resolve } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { minifySync } from 'rolldown/experimental'
import { bundledLicenses } from './bundled-licenses.ts'

/**
 * Packages that are ES modules with a default export. They must be in the bundle: required from CommonJS,
 * the default import would be the whole module.
 */
export const bundledPackages: ReadonlySet<string> = new Set(['mime'])

/**
 * Packages of features that are loaded only when they are used, and hash-wasm, of which three functions of many are
 * used. They are development dependencies, and each feature is a chunk of the bundle.
 */
const featurePackages =
  /^(?:@(?:opentelemetry|aws-sdk|smithy|aws)\/|(?:hash-wasm|prom-client|tdigest|bintrees|bowser|tslib)(?:\/|$))/

/** The largest of them by far, which has a chunk of its own. */
const largePackages = {
  name: 'aws-sdk',
  test: /[\\/]node_modules[\\/]@(?:aws-sdk|smithy|aws)[\\/]/,
}

/** Whether an import is one of a file, or of a package by itself (`#name`). */
const fileImport = /^[./#]/

/**
 * Bundles the server as CommonJS, with source maps. Other packages are not bundled.
 *
 * One file of many modules starts twice as fast as the modules. CommonJS, because an import of node:http
 * as an ES module reads all its exports, and one of them loads Node's HTTP client (60 ms).
 *
 * @param entries paths of the entries, by their names
 * @param folder is created; NAME.cjs is the bundle of each entry
 */
export async function bundle(
  entries: Readonly<Record<string, string>>,
  folder: string,
): Promise<void> {
  const bundled = await rolldown({
    input: { ...entries },
    platform: 'node',
    external: (id) => !fileImport.test(id) && !bundledPackages.has(id) && !featurePackages.test(id),
    // Its main file is CommonJS, of which nothing could be left out.
    resolve: { alias: { 'hash-wasm': 'hash-wasm/dist/index.esm.js' } },
    plugins: [threads, bundledLicenses, smallerChunk, onlyAscii],
  })
  try {
    await bundled.write({
      dir: folder,
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name]-[hash].cjs',
      codeSplitting: { groups: [largePackages] },
      comments: false,
      sourcemap: true,
      // The positions are enough for stack traces, and the sources would be half of the package.
      sourcemapExcludeSources: true,
    })
  } finally {
    await bundled.close()
  }
}

/** The chunk of large packages without white space, long names and positions: it would be a tenth of the package. */
const smallerChunk: Plugin = {
  name: 'smaller-chunk',
  generateBundle(_, bundle) {
    for (const [file, chunk] of Object.entries(bundle)) {
      if (chunk.type !== 'chunk' || chunk.name !== largePackages.name) continue
      chunk.code = minifySync(file, chunk.code, { mangle: { keepNames: true } }).code
      chunk.map = null
      delete bundle[`${file}.map`]
    }
  },
}

/**
 * With other characters, a chunk takes twice the memory in V8: two bytes for each character. Source maps stay right except
 * for the rest of such a line.
 */
const onlyAscii: Plugin = {
  name: 'only-ascii',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue
      chunk.code = chunk.code.replace(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    }
  },
}

/** A thread's script as the sources write it: `new URL('./x-thread.ts', import.meta.url)`. */
const threadUrl = /new URL\('\.\/([a-z-]+-thread)\.ts', import\.meta\.url\)/

/** Bundles the scripts of threads too, and makes their URLs name the bundles. */
const threadScripts = new Map<string, string>()
const threads: Plugin = {
  name: 'threads',
  transform(code, id) {
    const name = threadUrl.exec(code)?.[1]
    if (name === undefined) return undefined
    const script = resolve(dirname(id), `${name}.ts`)
    const other = threadScripts.get(name) ?? script
    if (other !== script) throw new Error(`${other} and ${script} need different names`)
    threadScripts.set(name, script)
    this.emitFile({ type: 'chunk', id: script, fileName: `${name}.cjs` })
    // Not every mention of the script: its types are imported from it as well. Source maps stay right except for the rest of this line.
    const url = (ending: string) => `new URL('./${name}.${ending}'`
    return { code: code.replace(url('ts'), url('cjs')), map: null }
  },
}
