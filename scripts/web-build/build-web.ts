import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { sourceDigest } from '../source-digest.ts'
import { publishBuild, removeLeftovers } from './publish-build.ts'

/** Holds the digest of the sources that web/dist was built from. */
const recordName = 'build.json'

/** Builds are created inside web/dist, on the same file system and ignored by git. */
const workPrefix = '.new-'

const say = (line: string) => process.stdout.write(`${line}\n`)

/**
 * Builds the dashboard into web/dist if its sources have changed. A failure is reported but not fatal,
 * because the gateway serves everything else without a dashboard.
 *
 * @param root the folder of the project
 */
export async function buildWebWhenNeeded(root: string): Promise<void> {
  const served = servedFolder(root)
  try {
    if (digestOf(root) === builtDigest(served)) return
    const startedMs = performance.now()
    say('Building the dashboard. This takes a few seconds …')
    await build(root, 'warn')
    say(`Built the dashboard in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s.`)
  } catch (error) {
    say(`The dashboard could not be built: ${reasonOf(error)}`)
    const before = existsSync(join(served, 'index.html'))
    say(before ? 'The previous build is served.' : 'The gateway starts without a dashboard.')
  }
}

/** Builds the dashboard into web/dist. Rejects when it cannot be built. */
export async function buildWeb(root: string): Promise<void> {
  await build(root, 'info')
}

const servedFolder = (root: string) => join(root, 'web/dist')
const digestOf = (root: string) =>
  sourceDigest(root, ['web/**', 'src/platform/text/*.ts', 'scripts/web-build/*.ts'])

function builtDigest(served: string): string | undefined {
  try {
    const record = JSON.parse(readFileSync(join(served, recordName), 'utf8')) as { digest?: string }
    return record.digest
  } catch {
    // Not built yet, or not by this script.
    return undefined
  }
}

async function build(root: string, logLevel: 'info' | 'warn'): Promise<void> {
  const digest = digestOf(root)
  const served = servedFolder(root)
  // Imported late: loading them takes longer than checking that no build is needed.
  const { build: viteBuild } = await import('vite')
  const { compressAssets } = await import('./compress-assets.ts')
  mkdirSync(served, { recursive: true })
  removeLeftovers(served, workPrefix, Date.now())
  const work = mkdtempSync(join(served, workPrefix))
  try {
    await viteBuild({
      root: join(root, 'web'),
      logLevel,
      build: { outDir: work, emptyOutDir: true },
    })
    await compressAssets(join(work, 'assets'))
    publishBuild(work, served, Date.now())
    // Last, so that a killed build is repeated.
    writeFileSync(join(work, recordName), JSON.stringify({ digest }))
    renameSync(join(work, recordName), join(served, recordName))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function reasonOf(error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') {
    return 'its packages are not installed. Run npm ci, or copy web/dist from where it is built.'
  }
  const text = stripVTControlCharacters(String(error instanceof Error ? error.message : error))
  // The second line of Vite's message has the reason.
  const [failed = '', why = ''] = text.split('\n').filter((line) => line.trim() !== '')
  return `${failed} ${why.trim()} (run npm run build for details)`
}
