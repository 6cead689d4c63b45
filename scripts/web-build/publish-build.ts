import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** So long a page that was loaded before a build still finds the chunks it has not loaded yet. */
const keptMs = 24 * 3_600_000

/**
 * Moves a build into the folder that is served. The assets come first, whose names no other content
 * has, then index.html by one rename: at no moment is there a page without its assets, however many
 * builds are published at once. Both folders are on one file system.
 */
export function publishBuild(built: string, served: string, nowMs: number): void {
  const assets = join(served, 'assets')
  mkdirSync(assets, { recursive: true })
  const fresh = new Set(readdirSync(join(built, 'assets')))
  for (const name of fresh) renameSync(join(built, 'assets', name), join(assets, name))
  for (const entry of readdirSync(built, { withFileTypes: true })) {
    if (entry.isFile()) renameSync(join(built, entry.name), join(served, entry.name))
  }
  for (const name of readdirSync(assets)) {
    if (!fresh.has(name)) removeOld(join(assets, name), nowMs)
  }
}

/** Folders of builds that were interrupted. */
export function removeLeftovers(served: string, prefix: string, nowMs: number): void {
  if (!existsSync(served)) return
  for (const name of readdirSync(served)) {
    if (name.startsWith(prefix)) removeOld(join(served, name), nowMs)
  }
}

/** Another build may be publishing what is young, or have removed it first. */
function removeOld(path: string, nowMs: number): void {
  const facts = statSync(path, { throwIfNoEntry: false })
  if (facts !== undefined && nowMs - facts.mtimeMs > keptMs) {
    rmSync(path, { recursive: true, force: true })
  }
}
