import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * The folder of package.json. Paths of files that are read at run time start here, because a built
 * server is one folder of chunks, not the tree of src/.
 */
export const packageFolder = dirname(findPackageJSON(import.meta.url) ?? import.meta.dirname)

/** The version of package.json. */
export function packageVersion(): string {
  const text = readFileSync(join(packageFolder, 'package.json'), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}
