import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'rolldown'

/** The folder of a package: the last `node_modules/NAME` or `node_modules/@SCOPE/NAME` of a path. */
const packageFolderPattern = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/

/** Writes licenses.md, with the licenses of the packages that are in the bundle: they demand it. */
export const bundledLicenses: Plugin = {
  name: 'bundled-licenses',
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((file) =>
      file.type === 'chunk' ? file.moduleIds : [],
    )
    const folders = modules.flatMap((path) => packageFolderPattern.exec(path)?.[0] ?? [])
    const source = licensesText([...new Set(folders)].sort())
    this.emitFile({ type: 'asset', fileName: 'licenses.md', source })
  },
}

function licensesText(folders: readonly string[]): string {
  const texts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as { readonly name: string; readonly version: string; readonly license: string }
    const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)/i.test(file))
    const parts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
    return [`## ${name} ${version} (${license})`, ...parts].join('\n\n')
  })
  return `# Licenses\n\nThe server contains these packages:\n\n${texts.join('\n\n')}\n`
}
