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
    const source = licensesText(packageFolders(modules))
    this.emitFile({ type: 'asset', fileName: 'licenses.md', source })
  },
}

function licensesText(folders: readonly string[]): string {
  return `# Licenses\n\nThe server contains these packages:\n\n${folders.map(licenseOf).join('\n\n')}\n`
}

/** The folders of the packages that these modules are from. */
export function packageFolders(modules: readonly string[]): readonly string[] {
  const folders = modules.flatMap((path) => packageFolderPattern.exec(path)?.[0] ?? [])
  return [...new Set(folders)].sort()
}

/** What a package says of itself, with its license texts. */
export function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as { readonly name: string; readonly version: string; readonly license: string }
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)/i.test(file))
  const parts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
  return [`## ${name} ${version} (${license})`, ...parts].join('\n\n')
}
