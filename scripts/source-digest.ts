import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A digest of everything that a build depends on: its sources and the versions of the packages.
 *
 * @param root the folder of the project
 * @param sources patterns of files below it; builds below it are left out
 */
export function sourceDigest(root: string, sources: readonly string[]): string {
  const digest = createHash('sha256')
  const paths = globSync([...sources], { cwd: root, exclude: ['**/dist'], withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  for (const path of [...paths, join(root, 'package-lock.json')]) {
    const bytes = readFileSync(path)
    digest.update(`${path.slice(root.length)}\0${bytes.length}\0`).update(bytes)
  }
  return digest.digest('hex')
}
