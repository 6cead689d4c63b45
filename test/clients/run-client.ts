import { execFile, execFileSync } from 'node:child_process'
import { isShare } from '../support/test-groups.ts'
import type { Endpoint } from './endpoint.ts'

const timeoutMs = 120_000

export interface ClientRun {
  readonly program: string
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Standard input. */
  readonly input?: Uint8Array
}

/**
 * Runs a command-line client isolated from this machine's settings: it sees no configuration file,
 * profile or credential of the user. Resolves with its standard output, rejects with all its
 * output.
 */
export function runClient(endpoint: Endpoint, run: ClientRun): Promise<string> {
  const options = {
    cwd: endpoint.workFolder,
    timeout: timeoutMs,
    maxBuffer: 64 * 1024 * 1024,
    env: {
      PATH: '/usr/bin:/bin',
      HOME: endpoint.workFolder,
      LANG: 'C.UTF-8',
      ...run.environment,
    },
  }
  return new Promise((resolve, reject) => {
    const child = execFile(run.program, run.args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${error.message}\n${stdout}\n${stderr}`, { cause: error }))
    })
    child.stdin?.end(run.input)
  })
}

/** The reason to skip tests of the client, or false. */
export function absenceOf(program: string, installer = '.ci/run'): string | false {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return false
  } catch {
    return `${program} is not installed (${installer} installs it)`
  }
}

/** Debian's aws-cli includes botocore, the library under boto3, but not boto3. */
export function absenceOfBoto3(): string | false {
  try {
    execFileSync('/usr/bin/python3', ['-c', 'import boto3'], { stdio: 'ignore' })
    return false
  } catch {
    return 'boto3 is not installed (.ci/run installs it)'
  }
}

/**
 * Debian's aws-cli and, if another is first on PATH, that one too: they are years apart. A push has only Debian's, which
 * is all that `.ci/run` installs.
 */
export function awsPrograms(): string[] {
  if (isShare) return ['/usr/bin/aws']
  return [...new Set(['/usr/bin/aws', firstOnPath('aws')])]
}

function firstOnPath(program: string): string {
  try {
    return execFileSync('which', [program], { encoding: 'utf8' }).trim()
  } catch {
    return `/usr/bin/${program}`
  }
}
