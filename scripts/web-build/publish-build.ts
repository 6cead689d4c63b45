import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { removeOld } from '../remove-old.ts'

/** Lists the assets of the served build. Other assets belong to older builds. */
const listName = 'assets.json'

/** Keeps the assets of older builds out of the package. npm reads it in each folder that it packs. */
const ignoreName = '.npmignore'

/**
 * Moves a build into the served folder. The assets, whose names contain a hash, are moved before the
 * pages, so that a page always finds its assets, even if several builds are published at once. Both
 * folders are on one file system.
 */
export function publishBuild(built: string, served: string, nowMs: number): void {
  const assets = join(served, 'assets')
  mkdirSync(assets, { recursive: true })
  const fresh = new Set(readdirSync(join(built, 'assets')))
  for (const name of fresh) renameSync(join(built, 'assets', name), join(assets, name))
  const old = readdirSync(assets).filter((name) => !fresh.has(name))
  const replaced = new Set(listedAssets(served))
  for (const name of old) if (replaced.has(name)) touch(join(assets, name), nowMs)
  writeFileSync(join(built, listName), JSON.stringify([...fresh]))
  writeFileSync(join(built, ignoreName), ignored([...fresh]))
  for (const entry of readdirSync(built, { withFileTypes: true })) {
    if (entry.isFile()) renameSync(join(built, entry.name), join(served, entry.name))
  }
  for (const name of old) removeOld(join(assets, name), nowMs)
}

/**
 * A nested list overrides `files` of package.json. Of an asset that is compressed, the package has the gzip copy only, which
 * the gateway decompresses for a client without gzip.
 */
function ignored(fresh: readonly string[]): string {
  const all = new Set(fresh)
  const packed = fresh.filter((name) => !name.endsWith('.br') && !all.has(`${name}.gz`))
  return ['/assets/*', ...packed.map((name) => `!/assets/${name}`), ''].join('\n')
}

function listedAssets(served: string): string[] {
  try {
    return JSON.parse(readFileSync(join(served, listName), 'utf8')) as string[]
  } catch {
    // Not built yet, or not by this script.
    return []
  }
}

/** Records the time at which an asset was replaced. */
function touch(path: string, nowMs: number): void {
  utimesSync(path, nowMs / 1_000, nowMs / 1_000)
}

/** Removes the folders of interrupted builds. */
export function removeLeftovers(served: string, prefix: string, nowMs: number): void {
  if (!existsSync(served)) return
  for (const name of readdirSync(served)) {
    if (name.startsWith(prefix)) removeOld(join(served, name), nowMs)
  }
}
