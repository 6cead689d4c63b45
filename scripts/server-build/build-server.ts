import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { removeOld } from '../remove-old.ts'
import { sourceDigest } from '../source-digest.ts'

/**
 * A build is a folder of dist that is named after its sources, so that a running server keeps its files
 * when a newer one is built. This file of dist loads the newest build.
 */
const mainName = 'main.cjs'

const workPrefix = '.new-'

/**
 * Builds the server into dist if its sources have changed. When it cannot be built, reports why and sets
 * the exit status.
 *
 * @param root the folder of the project
 */
export async function buildServerWhenNeeded(root: string): Promise<void> {
  if (isServerCurrent(root)) return
  try {
    await buildServer(root)
  } catch (error) {
    process.exitCode = 1
    const isMissing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
    const reason = isMissing ? 'its packages are not installed. Run npm ci.' : String(error)
    process.stderr.write(`The server could not be built: ${reason}\n`)
  }
}

/** Whether the newest build is of the present sources. */
export function isServerCurrent(root: string): boolean {
  const dist = join(root, 'dist')
  const name = buildName(root)
  return loadedBuild(dist) === name && existsSync(join(dist, name))
}

/** Builds the server into dist. Several builds may run at once. */
export async function buildServer(root: string): Promise<void> {
  // Imported late: loading it takes longer than checking that no build is needed.
  const { bundle } = await import('./bundle.ts')
  const dist = join(root, 'dist')
  mkdirSync(dist, { recursive: true })
  const work = mkdtempSync(join(dist, workPrefix))
  try {
    const built = join(work, 'build')
    await bundle(join(root, 'src/main.ts'), built)
    publish({ built, work, dist, name: buildName(root) })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function buildName(root: string): string {
  return sourceDigest(root, ['src/**/*.ts', 'scripts/server-build/*.ts']).slice(0, 16)
}

/** The name of the build that main.cjs loads. */
function loadedBuild(dist: string): string | undefined {
  try {
    return /require\.resolve\('\.\/([0-9a-f]+)\//.exec(
      readFileSync(join(dist, mainName), 'utf8'),
    )?.[1]
  } catch {
    // Not built yet.
    return undefined
  }
}

interface Build {
  /** The folder of the new build, in `work`. */
  readonly built: string
  readonly work: string
  readonly dist: string
  readonly name: string
}

function publish({ built, work, dist, name }: Build): void {
  const nowMs = Date.now()
  const before = loadedBuild(dist)
  if (before !== undefined && existsSync(join(dist, before))) {
    // Its age counts from here.
    utimesSync(join(dist, before), nowMs / 1_000, nowMs / 1_000)
  }
  // If it exists, it is whole, because it was moved here.
  if (!existsSync(join(dist, name))) renameSync(built, join(dist, name))
  writeFileSync(join(work, mainName), loaderOf(name))
  renameSync(join(work, mainName), join(dist, mainName))
  for (const other of readdirSync(dist)) {
    if (other !== name && other !== mainName) removeOld(join(dist, other), nowMs)
  }
}

/** node:cluster starts each worker with `process.argv[1]`: those of a running server load its own build. */
const loaderOf = (name: string) => `process.argv[1] = require.resolve('./${name}/${mainName}')
require(process.argv[1])
`
