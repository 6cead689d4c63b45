import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { makeMemoryFolder } from './memory-folder.ts'
import { shareProcesses } from './shared-processes.ts'
import { ciGroups, isFull, nightlyFiles, testGroups } from './test-groups.ts'

/**
 * `npm test`, `npm run test:quick`, `npm run test:service` and the like for each of the long groups, or the
 * files given as arguments. Several groups are one run, in the order given: name those with the longest files
 * first. With CI=true, `npm test` runs all groups but the container in one run; `nightlyFiles` only with
 * FULL=1. The last line counts; the exit status is not 0 when a test failed, when there was none, and with
 * CI=true also when one was skipped, because a skipped proof proves nothing.
 */
const project = join(import.meta.dirname, '../..')
const wanted = process.argv.slice(2)
const isCi = process.env.CI === 'true'
const names = wanted.length > 0 ? wanted : isCi ? ciGroups : ['browser', 'quick']
/** Files that a push does not run. A group or a file that is named runs as a whole. */
const left = new Set(wanted.length > 0 || isFull ? [] : nightlyFiles.flatMap(filesMatching))
const counts = { passed: 0, failed: 0, skipped: 0 }
/** The slowest files are shown: they decide how long a run takes. */
const slowestShown = 20
const durations: { readonly file: string; readonly ms: number }[] = []

// A third of the time of a short file goes into compiling: a shared cache needs it once.
process.env.NODE_COMPILE_CACHE ??= join(project, 'node_modules/.cache/node-compile')
process.on('exit', () => {
  const isRefused = isCi && counts.skipped > 0
  if (counts.failed > 0 || counts.passed === 0 || isRefused) process.exitCode = 1
  for (const { file, ms } of durations.sort((a, b) => b.ms - a.ms).slice(0, slowestShown)) {
    console.log(`${(ms / 1000).toFixed(1).padStart(7)} s ${file}`)
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
})
if (process.env.TMPDIR === undefined) {
  const memoryFolder = makeMemoryFolder()
  if (memoryFolder !== undefined) process.env.TMPDIR = memoryFolder
}
// Most files wait for timers, servers and processes for a third of their time or more; Chromium does not.
const concurrency = availableParallelism() * (names.includes('browser') ? 2 : 3)
const groupFolder = mkdtempSync(join(tmpdir(), 'bucketry-tests-'))
try {
  await finished(run({ files: shareProcesses(names.flatMap(filesOf), groupFolder), concurrency }))
} finally {
  rmSync(groupFolder, { recursive: true })
}

function filesOf(name: string): readonly string[] {
  const files = (testGroups[name] ?? [name]).flatMap(filesMatching).sort()
  if (files.length === 0) throw new Error(`${name} is neither a group nor a file of tests`)
  return files.filter((file) => !left.has(file))
}

function filesMatching(pattern: string): readonly string[] {
  return globSync(pattern)
}

async function finished(tests: ReturnType<typeof run>): Promise<void> {
  tests.on('test:summary', (summary) => {
    // Each file has its summary too; the one without a file is that of the whole run.
    if (summary.file !== undefined) {
      durations.push({ file: relative(project, summary.file), ms: summary.duration_ms })
      return
    }
    const { passed, skipped, tests: all } = summary.counts
    counts.passed += passed
    counts.failed += all - passed - skipped
    counts.skipped += skipped
  })
  tests.on('test:pass', ({ skip, details }) => {
    // The summary does not count them, nor the tests in them.
    if (skip !== undefined && details.type === 'suite') counts.skipped += 1
  })
  const report = tests.compose(spec)
  report.pipe(process.stdout, { end: false })
  await new Promise((resolve) => report.on('end', resolve))
}
