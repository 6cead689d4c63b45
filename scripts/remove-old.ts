import { rmSync, statSync } from 'node:fs'

/** How long the files of older builds are kept, for pages that are open and servers that run. */
const keptMs = 24 * 3_600_000

/** Removes a file or folder that is older than a day. A newer one may belong to a build in progress. */
export function removeOld(path: string, nowMs: number): void {
  // Another build may have removed it.
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats !== undefined && nowMs - stats.mtimeMs > keptMs) {
    rmSync(path, { recursive: true, force: true })
  }
}
