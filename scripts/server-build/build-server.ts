import {
  chmodSync,
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
 * when a newer one is built. These files of dist load the newest build.
 */
const mainName = 'main.cjs'
const testingName = 'testing.cjs'
/** Keeps other builds out of the package. */
const ignoreName = '.npmignore'

const typesName = 'testing.d.cts'

/** As `engines` of package.json says. */
const oldestNode = 24

const entries = { main: 'src/main.ts', testing: 'src/app/start/start-bucketry.ts' }

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
  // Beside the final folder: source maps have paths that are relative to it.
  const built = mkdtempSync(join(dist, workPrefix))
  try {
    // mkdtemp's mode is 0700, and another user may run the server.
    chmodSync(built, 0o755)
    await bundle(inFolder(root), built)
    publish({ built, dist, name: buildName(root) })
  } finally {
    rmSync(built, { recursive: true, force: true })
  }
}

function inFolder(root: string): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(root, path)]))
}

/** Writes the types of the package's API into dist. */
export async function buildTypes(root: string): Promise<void> {
  const { isolatedDeclarationSync } = await import('rolldown/experimental')
  const path = join(root, entries.testing)
  const { code, errors } = isolatedDeclarationSync(path, readFileSync(path, 'utf8'))
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'))
  mkdirSync(join(root, 'dist'), { recursive: true })
  writeFileSync(join(root, 'dist', typesName), code)
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
  /** The folder of the new build, in `dist`. */
  readonly built: string
  readonly dist: string
  readonly name: string
}

function publish({ built, dist, name }: Build): void {
  const nowMs = Date.now()
  const before = loadedBuild(dist)
  if (before !== undefined && existsSync(join(dist, before))) {
    // Its age counts from here.
    utimesSync(join(dist, before), nowMs / 1_000, nowMs / 1_000)
  }
  // If it exists, it is whole, because it was moved here.
  if (!existsSync(join(dist, name))) renameSync(built, join(dist, name))
  const files = {
    [mainName]: mainLoader(name),
    [testingName]: testingLoader(name),
    [ignoreName]: ignored(name),
  }
  for (const [file, text] of Object.entries(files)) {
    const draft = `${built}-${file}`
    writeFileSync(draft, text, { mode: 0o755 })
    renameSync(draft, join(dist, file))
  }
  for (const other of readdirSync(dist)) {
    if (other !== name && !(other in files) && other !== typesName)
      removeOld(join(dist, other), nowMs)
  }
}

/**
 * The command of the package. It runs on any Node, so that an old one gets a sentence instead of a syntax
 * error. node:cluster starts each worker with `process.argv[1]`: those of a running server load its own build.
 */
const mainLoader = (name: string) => `#!/usr/bin/env node
if (parseInt(process.versions.node, 10) < ${oldestNode}) {
  console.error('Bucketry needs Node.js ${oldestNode} or newer, and this is ' + process.version + '. Install a newer one from https://nodejs.org.')
  process.exit(1)
}
process.argv[1] = require.resolve('./${name}/${mainName}')
require(process.argv[1])
`

/** Exports by name, so that ES modules can import them. */
const testingLoader = (
  name: string,
) => `exports.startBucketry = require('./${name}/${testingName}').startBucketry
`

const ignored = (name: string) => `/*
!/${name}
!/${mainName}
!/${testingName}
!/${typesName}
`
