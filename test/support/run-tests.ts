import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { makeMemoryFolder } from './memory-folder.ts'
import { repeatCommand } from './repeat-command.ts'
import { RunningFiles } from './running-files.ts'
import { shareProcesses } from './shared-processes.ts'
import { ciGroups, filesLeftOut, isFull, testGroups } from './test-groups.ts'

/**
 * `npm test`, `npm run test:quick`, `npm run test:service` and the like for each of the long groups, or the
 * files given as arguments. Several groups are one run, in the order given: name those with the longest files
 * first. With CI=true, `npm test` runs all groups but the container in one run; all of `partialFiles`, and more than
 * a share of the longest lists of cases (`shareOf`), only with FULL=1. If a test fails in a run that chose cases at
 * random, the command that repeats it on the commit before is shown. The last line counts; the exit status is not 0
 * when a test failed, when there was none, and with CI=true also when one was skipped, because a skipped proof proves
 * nothing.
 */
const project = join(import.meta.dirname, '../..')
const wanted = process.argv.slice(2)
const isCi = process.env.CI === 'true'
const names = wanted.length > 0 ? wanted : isCi ? ciGroups : ['browser', 'quick']
/** A group or a file that is named runs as a whole. */
const isWhole = wanted.length > 0 || isFull
if (!isWhole) process.env.SHARE_TURN ??= String(randomInt(1_000))
const left = isWhole ? new Set<string>() : filesLeftOut((pattern) => globSync(pattern))
const counts = { passed: 0, failed: 0, skipped: 0 }
/** The files that need most CPU time are shown: they decide how long a run takes. */
const mostShown = 25
/** A file that takes longer hangs: it fails instead of the whole run. The fleet test at full length takes 15 minutes. */
const longestFileMs = Number(process.env.LONGEST_FILE_MS ?? (isFull ? 60 : 20) * 60_000)
/** Less than the limits of the jobs in .github/workflows: what they stop says nothing about what it was doing. */
const longestRunMs = Number(process.env.LONGEST_RUN_MS ?? (isFull ? 110 : 50) * 60_000)
const running = new RunningFiles(longestFileMs)
/** Whether node:test has reported all files. */
let isOver = false
const failedFiles = new Set<string>()
/** In the order in which they failed, whereas node:test shows a file after all files before it. */
const failures: string[] = []
const durations = new Map<string, number>()

// A third of the time of a short file goes into compiling: a shared cache needs it once.
process.env.NODE_COMPILE_CACHE ??= join(project, 'node_modules/.cache/node-compile')
process.on('exit', () => {
  const left = running.killAll()
  if (!isOver && left.length > 0) showStopped(left)
  const isRefused = isCi && counts.skipped > 0
  if (counts.failed > 0 || counts.passed === 0 || isRefused) process.exitCode = 1
  const turn = process.env.SHARE_TURN
  if (turn !== undefined) console.log(`SHARE_TURN=${turn} repeats the choice of cases`)
  if (turn !== undefined && failedFiles.size > 0) showRepeat()
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
if (isCi) setTimeout(() => process.exit(1), longestRunMs).unref()
if (process.env.TMPDIR === undefined) {
  const memoryFolder = makeMemoryFolder()
  if (memoryFolder !== undefined) process.env.TMPDIR = memoryFolder
}
// Most files wait for timers, servers and processes for a third of their time or more; Chromium does not.
const concurrency = availableParallelism() * (names.includes('browser') ? 2 : 3)
const groupFolder = mkdtempSync(join(tmpdir(), 'bucketry-tests-'))
process.env.CPU_TIMES = join(groupFolder, 'cpu-times')
try {
  const files = shareProcesses(names.flatMap(filesOf), groupFolder)
  const execArgv = ['--import', pathToFileURL(join(import.meta.dirname, 'report-cpu.ts')).href]
  await finished(run({ files, concurrency, execArgv, timeout: longestFileMs }))
  isOver = true
  showTimes(process.env.CPU_TIMES)
} finally {
  rmSync(groupFolder, { recursive: true })
}
// What a file started may still run and hold its standard error, for which nothing waits.
process.exit()

/** The counts are known at the end only. */
function showStopped(left: readonly string[]): void {
  counts.failed += left.length
  console.log('\nThe run was stopped, or took too long.')
  for (const line of left) console.log(line)
  for (const name of failures) console.log(`failed before: ${name}`)
}

/** A newer commit may not be the cause: what a push runs differs from push to push. */
function showRepeat(): void {
  const { CI, FULL, SHARE_TURN } = process.env
  const head = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' })
  const commit = head.stdout?.trim() || 'HEAD'
  const files = [...failedFiles].map((file) => relative(project, file)).sort()
  console.log('To see whether the commit before fails as well:')
  console.log(repeatCommand({ commit, files, variables: { CI, FULL, SHARE_TURN } }))
}

function filesOf(name: string): readonly string[] {
  const files = (testGroups[name] ?? [name]).flatMap((pattern) => globSync(pattern)).sort()
  if (files.length === 0) throw new Error(`${name} is neither a group nor a file of tests`)
  return files.filter((file) => !left.has(file))
}

async function finished(tests: ReturnType<typeof run>): Promise<void> {
  tests.on('test:summary', (summary) => {
    // Each file has its summary too; the one without a file is that of the whole run.
    if (summary.file !== undefined) {
      durations.set(summary.file, summary.duration_ms)
      if (!summary.success) addFailed(summary.file)
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
  // The only sign of a process that ended before its summary.
  tests.on('test:fail', ({ file }) => addFailed(file))
  tests.on('test:complete', ({ details, file, name }) => {
    if (!details.passed) failures.push(`${file && relative(project, file)}: ${name}`)
  })
  const report = tests.compose(spec)
  report.pipe(process.stdout, { end: false })
  await new Promise((resolve) => report.on('end', resolve))
}

/** A test may be defined by a helper, and unit tests share a process: neither file can be named to run it. */
function addFailed(file: string | undefined): void {
  if (file?.endsWith('.test.ts')) failedFiles.add(file)
}

/** Shows the files with most CPU time, which, unlike their duration, does not depend on what ran beside them. */
function showTimes(path: string): void {
  if (!existsSync(path)) return
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  const times = lines.map((line) => {
    const space = line.indexOf(' ')
    return { file: line.slice(space + 1), cpu: Number(line.slice(0, space)) }
  })
  // Programs that a test starts with the same flags are part of its time already.
  const known = times.filter(({ file }) => durations.has(file)).sort((a, b) => b.cpu - a.cpu)
  for (const { file, cpu } of known.slice(0, mostShown)) {
    const seconds = (durations.get(file) ?? 0) / 1000
    const name = relative(project, file)
    console.log(
      `${cpu.toFixed(1).padStart(7)} s of CPU ${seconds.toFixed(1).padStart(7)} s ${name}`,
    )
  }
  const sum = known.reduce((total, { cpu }) => total + cpu, 0)
  console.log(`${sum.toFixed(1).padStart(7)} s of CPU in ${known.length} processes`)
}
