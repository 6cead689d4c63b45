import { chmodSync, cpSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environment, execute, run, timeoutMs } from '../newest/installers.ts'

/** Whether a test passed. A suite skips what needs something that it was not given. */
export type Outcome = 'pass' | 'fail' | 'skip'

export type Outcomes = ReadonlyMap<string, Outcome>

/** What a suite needs to know of the gateway. */
interface SuiteTarget {
  /** Without the scheme. */
  readonly host: string
  readonly accessKey: string
  readonly secretKey: string
  /** An empty bucket for suites that make none. */
  readonly bucket: string
}

/** The tests that a client's authors run against servers, in the newest release that its registry has. */
export interface ClientSuite {
  readonly name: string
  readonly registry: 'Go modules' | 'PyPI'
  /** Installs it into an empty folder. @returns its version */
  install(folder: string): Promise<string>
  /** Runs all of its tests in that folder. */
  run(folder: string, target: SuiteTarget): Promise<Outcomes>
}

/** It prints a line of JSON for each call that it tests. */
const minioGo: ClientSuite = {
  name: 'github.com/minio/minio-go/v7',
  registry: 'Go modules',
  async install(folder) {
    const { version, sources } = await copyModule(this.name, folder)
    // Built by its name: the other files of the folder are another package.
    await run(sources, 'go', 'build', '-o', join(folder, 'suite'), 'functional_tests.go')
    return version
  },
  async run(folder, target) {
    const variables = { ...minioVariables(target), RUN_ON_FAIL: '1', MINT_MODE: 'full' }
    return ofMinioLines(await output(folder, [join(folder, 'suite')], variables))
  },
}

const minioPy: ClientSuite = {
  name: 'minio',
  registry: 'PyPI',
  async install(folder) {
    const python = join(folder, 'bin/python')
    await run(folder, '/usr/bin/python3', '-m', 'venv', folder)
    const pip = [python, '-m', 'pip'] as const
    await run(folder, ...pip, 'install', '--quiet', '--upgrade', this.name)
    // The tests are in its sources only.
    await run(folder, ...pip, 'download', '--quiet', '--no-deps', '--no-binary', ':all:', this.name)
    const [archive = ''] = globSync('minio-*.tar.gz', { cwd: folder })
    await run(folder, 'tar', '-xzf', archive)
    cpSync(join(import.meta.dirname, 'every_minio_py.py'), join(folder, 'every_minio_py.py'))
    return archive.slice('minio-'.length, -'.tar.gz'.length)
  },
  async run(folder, target) {
    const [tests = ''] = globSync('minio-*/tests/functional', { cwd: folder })
    const command = [join(folder, 'bin/python'), 'every_minio_py.py', tests]
    const variables = { ...minioVariables(target), MINT_MODE: 'full' }
    return ofMinioLines(await output(folder, command, variables))
  },
}

const distribution = goTests({
  name: 'github.com/distribution/distribution/v3',
  package: './registry/storage/driver/s3-aws',
  variables: ({ host, accessKey, secretKey, bucket }) => ({
    ...{ AWS_ACCESS_KEY: accessKey, AWS_SECRET_KEY: secretKey, AWS_REGION: 'us-east-1' },
    ...{ S3_BUCKET: bucket, REGION_ENDPOINT: `http://${host}`, AWS_S3_FORCE_PATH_STYLE: 'true' },
    ...{ S3_ENCRYPT: 'false', S3_SECURE: 'false', S3_ACCELERATE: 'false', S3_V4_AUTH: 'true' },
    ...{ S3_USE_DUALSTACK: 'false', S3_USE_FIPS_ENDPOINT: 'false' },
  }),
})

const restic = goTests({
  name: 'github.com/restic/restic',
  // The proxy lists no newer release of the module than 0.10.
  version: 'v0.18.1',
  package: './internal/backend/s3',
  variables: ({ host, accessKey, secretKey, bucket }) => ({
    RESTIC_TEST_S3_REPOSITORY: `s3:http://${host}/${bucket}`,
    ...{ RESTIC_TEST_S3_KEY: accessKey, RESTIC_TEST_S3_SECRET: secretKey },
  }),
})

const rclone = goTests({
  name: 'github.com/rclone/rclone',
  package: './backend/s3',
  args: ({ bucket }) => ['-remote', `Suite:${bucket}`],
  variables: ({ host, accessKey, secretKey }) => ({
    RCLONE_CONFIG_SUITE_TYPE: 's3',
    RCLONE_CONFIG_SUITE_PROVIDER: 'Other',
    RCLONE_CONFIG_SUITE_ENDPOINT: `http://${host}`,
    RCLONE_CONFIG_SUITE_ACCESS_KEY_ID: accessKey,
    RCLONE_CONFIG_SUITE_SECRET_ACCESS_KEY: secretKey,
  }),
})

export const clientSuites: readonly ClientSuite[] = [minioGo, minioPy, distribution, restic, rclone]

interface GoTests {
  /** The module. */
  readonly name: string
  readonly version?: string
  readonly package: string
  readonly args?: (target: SuiteTarget) => readonly string[]
  readonly variables: (target: SuiteTarget) => Readonly<Record<string, string>>
}

/** The tests of one package of a Go module. */
function goTests({ name, version, args, variables, ...tests }: GoTests): ClientSuite {
  return {
    name,
    registry: 'Go modules',
    async install(folder) {
      const copied = await copyModule(name, folder, version)
      const program = join(folder, 'suite.test')
      await run(copied.sources, 'go', 'test', '-c', '-o', program, tests.package)
      return copied.version
    },
    async run(folder, target) {
      const program = [join(folder, 'suite.test'), '-test.v=test2json', ...(args?.(target) ?? [])]
      const command = ['go', 'tool', 'test2json', ...program]
      // Tests read files beside their sources.
      const place = join(folder, 'sources', tests.package)
      return ofGoEvents(await output(place, command, variables(target)))
    },
  }
}

/** Copies a module, because nobody may write where Go keeps it. */
async function copyModule(name: string, folder: string, version = 'latest') {
  const found = await run(folder, 'go', 'mod', 'download', '-json', `${name}@${version}`)
  const { Dir, Version } = JSON.parse(found) as { Dir: string; Version: string }
  const sources = join(folder, 'sources')
  cpSync(Dir, sources, { recursive: true })
  for (const place of globSync([sources, join(sources, '**/')])) chmodSync(place, 0o755)
  return { version: Version, sources }
}

const minioVariables = ({ host, accessKey, secretKey }: SuiteTarget) => ({
  ...{ SERVER_ENDPOINT: host, ACCESS_KEY: accessKey, SECRET_KEY: secretKey, ENABLE_HTTPS: '0' },
})

/** What a suite prints. Its status says no more than its lines. */
async function output(
  cwd: string,
  [program = '', ...args]: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const home = join(cwd, 'home')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'rclone.conf'), '')
  const own = { HOME: home, RCLONE_CONFIG: join(home, 'rclone.conf') }
  const env = { ...environment, ...own, ...variables }
  const options = { cwd, timeout: timeoutMs, maxBuffer: 1 << 28, env }
  try {
    return (await execute(program, args, options)).stdout
  } catch (error) {
    const { stdout } = error as { readonly stdout?: string }
    if (stdout === undefined || stdout === '') throw error
    return stdout
  }
}

/** A test that calls several functions has a line for each; one that fails counts. */
function ofMinioLines(printed: string): Outcomes {
  const named: Readonly<Record<string, Outcome>> = { PASS: 'pass', FAIL: 'fail', NA: 'skip' }
  const outcomes = new Map<string, Outcome>()
  for (const line of jsonLines(printed)) {
    const { name, status } = line as { readonly name?: string; readonly status?: string }
    const outcome = named[status ?? '']
    if (name === undefined || outcome === undefined) continue
    const test = name.replace(/^minio-(go|py): ?/, '')
    if (outcomes.get(test) !== 'fail') outcomes.set(test, outcome)
  }
  return outcomes
}

/** See `go doc test2json`. */
function ofGoEvents(printed: string): Outcomes {
  const outcomes = new Map<string, Outcome>()
  for (const line of jsonLines(printed)) {
    const { Test, Action } = line as { readonly Test?: string; readonly Action?: string }
    if (Test === undefined) continue
    if (Action === 'pass' || Action === 'fail' || Action === 'skip') outcomes.set(Test, Action)
  }
  return outcomes
}

function jsonLines(printed: string): unknown[] {
  return printed.split('\n').flatMap((line) => (line.startsWith('{') ? [parsed(line)] : []))
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return {}
  }
}
