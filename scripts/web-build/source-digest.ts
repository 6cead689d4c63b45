import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/**
 * A digest of everything that a build of the dashboard depends on: the files in web/, except builds,
 * and the versions of its packages. Types imported from src/ do not affect a build.
 *
 * @param root the folder of the project
 */
export function sourceDigest(root: string): string {
  const digest = createHash('sha256')
  for (const path of [...sourceFiles(join(root, 'web')), join(root, 'package-lock.json')]) {
    const bytes = readFileSync(path)
    digest.update(`${relative(root, path)}\0${bytes.length}\0`).update(bytes)
  }
  return digest.digest('hex')
}

/** Absolute paths, in the same order everywhere. */
function sourceFiles(web: string): string[] {
  const built = join(web, 'dist')
  return readdirSync(web, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !`${entry.parentPath}/`.startsWith(`${built}/`))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
