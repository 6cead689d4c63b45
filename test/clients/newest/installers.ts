import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { diskFolder } from '../../support/disk-folder.ts'
import { absenceOf } from '../run-client.ts'
import type { NewestClient, RegistryName } from './clients.ts'

export const execute = promisify(execFile)
/** Only against a registry, a compiler or a client that hangs: rclone compiles for six minutes on two busy cores. */
export const timeoutMs = 1_200_000

interface Installed {
  /** Runs the scenario. */
  readonly command: readonly [string, ...string[]]
  readonly version: string
}

interface Registry {
  /** The programs that it takes to install from there and to run the scenario. */
  readonly programs: readonly string[]
  /** Installs into a folder, which holds the scenarios. */
  install(client: NewestClient, folder: string): Promise<Installed>
}

/** Not one of a user's own, which other users may not run. */
const debianPython = '/usr/bin/python3'

export const cached: Readonly<Record<RegistryName, Registry>> = {
  /** An environment for each: s3fs, for one, needs an older botocore than the newest boto3. */
  PyPI: {
    programs: [debianPython],
    async install({ name, packages, scenario }, folder) {
      await run(folder, debianPython, '-m', 'venv', folder)
      const python = join(folder, 'bin/python')
      await run(folder, python, '-m', 'pip', 'install', '--quiet', '--upgrade', ...packages)
      const show = 'import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))'
      return { command: [python, scenario], version: await run(folder, python, '-c', show, name) }
    },
  },
  npm: {
    programs: ['npm'],
    async install({ name, packages, scenario }, folder) {
      const newest = packages.map((one) => `${one}@latest`)
      await run(folder, 'npm', 'install', '--no-audit', '--no-fund', '--prefix', folder, ...newest)
      const description = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')
      return { command: [process.execPath, scenario], version: JSON.parse(description).version }
    },
  },
  /** A library is compiled with its scenario; a program is compiled, and its scenario runs it. */
  'Go modules': {
    programs: ['go', debianPython],
    async install({ name, packages, scenario }, folder) {
      await run(folder, 'go', 'mod', 'init', 'newest')
      await run(folder, 'go', 'get', ...packages.map(newestOf))
      if (await takeReplacements(folder, name)) {
        await run(folder, 'go', 'get', ...packages.map(newestOf))
      }
      const isLibrary = scenario.endsWith('.go')
      const sources = isLibrary ? [scenario, 'go/place.go'] : [name]
      await run(folder, 'go', 'build', '-o', 'bin/', ...sources)
      const version = await run(folder, 'go', 'list', '-f', '{{.Module.Version}}', name)
      const program = join(folder, 'bin', basename(scenario, '.go'))
      return { command: isLibrary ? [program] : [debianPython, scenario], version }
    },
  },
  Maven: {
    programs: ['mvn', 'javac'],
    async install({ name, packages, scenario }, folder) {
      writeFileSync(join(folder, 'pom.xml'), projectOf(packages))
      const paths = join(folder, 'class-path')
      await run(
        folder,
        'mvn',
        '-q',
        '-B',
        'dependency:build-classpath',
        `-Dmdep.outputFile=${paths}`,
      )
      const classPath = readFileSync(paths, 'utf8')
      await run(folder, 'javac', '-cp', classPath, '-d', 'classes', 'java/Place.java', scenario)
      const version =
        new RegExp(`/${name.split(':')[1]}/([^/]+)/`).exec(classPath)?.[1] ?? 'unknown'
      const main = basename(scenario, '.java')
      return { command: ['java', '-cp', `classes:${classPath}`, main], version }
    },
  },
  /** What .ci/run has installed: Debian's release, which is not the newest. */
  Debian: {
    programs: ['dpkg-query', debianPython, 'ruby'],
    async install({ name, scenario }, folder) {
      const [, version = 'unknown'] = (await run(folder, 'dpkg-query', '-W', name)).split('\t')
      const program = scenario.endsWith('.rb') ? 'ruby' : debianPython
      return { command: [program, scenario], version }
    },
  },
}

/** Why clients cannot be installed from there. */
export function absenceOfRegistry(name: RegistryName): string | false {
  const absences = cached[name].programs.map((one) => absenceOf(one, 'FULL=1 .ci/run'))
  return absences.find((absence) => absence !== false) ?? false
}

/** Installs a client into a folder of its own, beside the scenarios. */
export async function installAlone(t: TestContext, client: NewestClient) {
  const folder = mkdtempSync(join(diskFolder, 'bucketry-newest-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const home = join(folder, 'home')
  mkdirSync(home)
  cpSync(import.meta.dirname, folder, { recursive: true })
  const { command, version } = await cached[client.registry].install(client, folder)
  t.diagnostic(`${client.name} ${version}`)
  const [program, ...args] = command
  const own = { PATH: `${process.env.PATH}`, HOME: home, LANG: 'C.UTF-8' }
  return {
    folder,
    environment: own,
    /** Runs the scenario. @returns what it prints */
    async run(variables: Readonly<Record<string, string>>): Promise<string> {
      const options = { cwd: folder, timeout: timeoutMs, maxBuffer: 1 << 26 }
      const { stdout } = await execute(program, args, { ...options, env: { ...own, ...variables } })
      return stdout
    },
  }
}

/** Only what Maven needs to find the packages. */
const projectOf = (packages: readonly string[]) => {
  const dependencies = packages.map((one) => {
    const [group, artifact] = one.split(':')
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>RELEASE</version></dependency>`
  })
  return `<project><modelVersion>4.0.0</modelVersion><groupId>newest</groupId><artifactId>newest</artifactId><version>1</version>
<dependencies>${dependencies.join('')}</dependencies></project>`
}

/**
 * Takes over what the module of a program replaces by forks of its own, which counts only where it is built itself
 * (go.dev/ref/mod#go-mod-file-replace). Returns whether there was any.
 */
async function takeReplacements(folder: string, name: string): Promise<boolean> {
  const file = await run(folder, 'go', 'list', '-f', '{{.Module.GoMod}}', name)
  const { Replace } = JSON.parse(await run(folder, 'go', 'mod', 'edit', '-json', file)) as {
    Replace: readonly { Old: GoModule; New: GoModule }[] | null
  }
  // A folder beside the module is no fork.
  const forks = (Replace ?? []).filter(({ New }) => New.Version !== undefined)
  const options = forks.map(({ Old, New }) => `-replace=${textOf(Old)}=${textOf(New)}`)
  if (options.length > 0) await run(folder, 'go', 'mod', 'edit', ...options)
  return options.length > 0
}

interface GoModule {
  readonly Path: string
  readonly Version?: string
}

const textOf = ({ Path, Version }: GoModule) =>
  Version === undefined ? Path : `${Path}@${Version}`

/** Of a Go package, unless it names a version. */
const newestOf = (name: string) => (name.includes('@') ? name : `${name}@latest`)

/** Runs a step of an installer and returns what it prints. */
export async function run(
  cwd: string,
  program: string,
  ...args: readonly string[]
): Promise<string> {
  const { stdout } = await execute(program, args, { cwd, timeout: timeoutMs, env: environment })
  return stdout.trim()
}

export const environment = {
  ...process.env,
  // Go fetches the release of itself that a client asks for, and needs no C compiler.
  ...{ GOTOOLCHAIN: 'auto', CGO_ENABLED: '0' },
}
