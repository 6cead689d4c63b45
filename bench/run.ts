import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { dashboardScenarios } from './dashboard/scenarios.ts'
import { profiles } from './machine-profile.ts'
import type { BenchContext, Scenario, Table } from './scenario.ts'
import { accessKeyScenarios } from './scenarios/access-keys.ts'
import { besideUploadsScenarios } from './scenarios/beside-uploads.ts'
import { callScenarios } from './scenarios/calls.ts'
import { coldFolderScenarios } from './scenarios/cold-folder.ts'
import { copiedScenarios } from './scenarios/copied-files.ts'
import { fleetScenarios } from './scenarios/fleet.ts'
import { folderJobScenarios } from './scenarios/folder-jobs.ts'
import { footprintScenarios } from './scenarios/footprint.ts'
import { googleScenarios } from './scenarios/google-drive.ts'
import { googleUploadScenarios } from './scenarios/google-upload.ts'
import { listingScenarios } from './scenarios/listing.ts'
import { modelScenarios } from './scenarios/models.ts'
import { multipartScenarios } from './scenarios/multipart.ts'
import { observabilityScenarios } from './scenarios/observability.ts'
import { postgresScenarios } from './scenarios/postgres.ts'
import { requestScenarios } from './scenarios/requests.ts'
import { s3DriveScenarios } from './scenarios/s3-drive.ts'
import { streamScenarios } from './scenarios/streams.ts'
import { uploadScenarios } from './scenarios/uploads.ts'
import { versionScenarios } from './scenarios/versions.ts'
import { serverKinds } from './server-kinds.ts'

/**
 * Runs the scenarios named on the command line, or all, prints their tables and appends them to
 * results.md. See README.md.
 */
const scenarios: readonly Scenario[] = [
  ...requestScenarios,
  ...besideUploadsScenarios,
  ...versionScenarios,
  ...multipartScenarios,
  ...coldFolderScenarios,
  ...copiedScenarios,
  ...footprintScenarios,
  ...postgresScenarios,
  ...observabilityScenarios,
  ...fleetScenarios,
  ...accessKeyScenarios,
  ...listingScenarios,
  ...uploadScenarios,
  ...folderJobScenarios,
  ...s3DriveScenarios,
  ...dashboardScenarios,
  ...modelScenarios,
  ...streamScenarios,
  ...callScenarios,
  ...googleScenarios,
  ...googleUploadScenarios,
]
const resultsFile = new URL('results.md', import.meta.url)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string', default: '/tmp/bucketry-bench' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    servers: { type: 'string', default: serverKinds.map(({ name }) => name).join(',') },
    'memory-folder': { type: 'string', default: '/dev/shm' },
    profile: { type: 'string', default: 'all' },
    'dry-run': { type: 'boolean', default: false },
  },
})

const chosen = scenarios.filter(
  ({ name }) => positionals.length === 0 || positionals.includes(name),
)
const unknown = positionals.filter((name) => !scenarios.some((scenario) => scenario.name === name))
if (unknown.length > 0) {
  console.error(
    `No scenario ${unknown.join(', ')}. There are: ${scenarios.map(({ name }) => name).join(', ')}`,
  )
  process.exit(2)
}

const makeProfile = profiles[values.profile]
if (makeProfile === undefined) {
  console.error(`No profile ${values.profile}. There are: ${Object.keys(profiles).join(', ')}`)
  process.exit(2)
}

mkdirSync(values.folder, { recursive: true })
const folder = mkdtempSync(join(values.folder, 'run-'))
const memoryFolder = mkdtempSync(join(values['memory-folder'], 'bucketry-bench-'))
const profile = makeProfile()
const context: BenchContext = {
  ...{ folder, memoryFolder },
  profile,
  keptFolder: values.folder,
  seconds: Number(values.seconds),
  rounds: Number(values.rounds),
  // A variant has the name of its server first.
  isWanted: ({ name }) => values.servers.split(',').includes(name.split(' ')[0] ?? name),
  progress: (line) => console.error(line),
}

function describeRun(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const memory = (totalmem() / 1024 ** 3).toFixed(0)
  const machine = `${availableParallelism()} × ${cpus()[0]?.model.trim()}, ${memory} GiB, Linux ${release()}`
  const fileSystem = execFileSync('stat', ['-f', '-c', '%T', values.folder], {
    encoding: 'utf8',
  }).trim()
  const absent = serverKinds.flatMap(({ name, absence }) =>
    absence === undefined ? [] : [`${name} (${absence})`],
  )
  return [
    `\n## ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${commit}\n`,
    `${machine}, Node ${process.version}, ${fileSystem}; ${values.rounds} rounds of ${values.seconds} s, ${profile.words}.`,
    absent.length === 0 ? '' : `Not measured: ${absent.join(', ')}.`,
  ].join('\n')
}

function renderTable(scenario: Scenario, table: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    `\n### ${scenario.name}: ${scenario.question}\n`,
    line(table.columns),
    line(table.columns.map((_, index) => (index === 0 ? '---' : '---:'))),
    ...table.rows.map(line),
    ...(scenario.target === ''
      ? []
      : [`\nWanted: ${scenario.target}. Measured: **${table.verdict}**.`]),
  ].join('\n')
}

function report(text: string): void {
  console.log(text)
  if (!values['dry-run']) appendFileSync(resultsFile, `${text}\n`)
}

try {
  report(describeRun())
  for (const scenario of chosen) {
    report(renderTable(scenario, await scenario.run(context)))
  }
} finally {
  profile.end()
  for (const used of [folder, memoryFolder]) rmSync(used, { recursive: true, force: true })
}
