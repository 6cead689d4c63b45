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
import { publishBuild, removeLeftovers } from './web-build/publish-build.ts'
import { sourceDigest } from './web-build/source-digest.ts'

/**
 * `npm run build:web` builds the dashboard into web/dist. With `--when-needed`, as `npm start` runs
 * it, only if the sources have changed. A failure is then reported but not fatal, because the gateway
 * serves everything else without a dashboard.
 */
const root = join(import.meta.dirname, '..')
const web = join(root, 'web')
const served = join(web, 'dist')

/** Holds the digest of the sources that web/dist was built from. */
const recordName = 'build.json'

/** Builds are created inside web/dist, on the same file system and ignored by git. */
const workPrefix = '.new-'

const say = (line: string) => process.stdout.write(`${line}\n`)

if (process.argv.includes('--when-needed')) await buildWhenNeeded()
else await build(sourceDigest(root), 'info')

async function buildWhenNeeded(): Promise<void> {
  try {
    const digest = sourceDigest(root)
    if (digest === builtDigest()) return
    const startedMs = performance.now()
    say('Building the dashboard. This takes a few seconds …')
    await build(digest, 'warn')
    say(`Built the dashboard in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s.`)
  } catch (error) {
    say(`The dashboard could not be built: ${reasonOf(error)}`)
    const before = existsSync(join(served, 'index.html'))
    say(before ? 'The previous build is served.' : 'The gateway starts without a dashboard.')
  }
}

function builtDigest(): string | undefined {
  try {
    const record = JSON.parse(readFileSync(join(served, recordName), 'utf8')) as { digest?: string }
    return record.digest
  } catch {
    // Not built yet, or not by this script.
    return undefined
  }
}

async function build(digest: string, logLevel: 'info' | 'warn'): Promise<void> {
  // Imported late: loading them takes longer than checking that no build is needed.
  const { build: viteBuild } = await import('vite')
  const { compressAssets } = await import('./web-build/compress-assets.ts')
  mkdirSync(served, { recursive: true })
  removeLeftovers(served, workPrefix, Date.now())
  const work = mkdtempSync(join(served, workPrefix))
  try {
    await viteBuild({ root: web, logLevel, build: { outDir: work, emptyOutDir: true } })
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
  return `${failed} ${why.trim()} (run npm run build:web for details)`
}
