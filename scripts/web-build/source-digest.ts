import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/**
 * What a build of the dashboard depends on, as one digest: everything in web/ but what is built, and
 * the versions of its packages. Types that it imports from src/ leave no trace in a build.
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
