import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const main = join(import.meta.dirname, '../../src/main.ts')

export interface VerifyRun {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A line of `--json`. */
export interface VerifyLine {
  readonly kind: 'mismatch' | 'unreadable' | 'summary'
  readonly bucket: string
  readonly key?: string
  readonly what?: string
  readonly expected?: string
  readonly found?: string
  readonly verified?: number
  readonly unverifiable?: number
  readonly mismatch?: number
  readonly unreadable?: number
}

export interface VerifyPlace {
  readonly folder: string
  /** All settings. */
  readonly environment: Readonly<Record<string, string>>
}

/** Starts `bucketry verify` in a given folder and with given settings. */
export function startVerify({ folder, environment }: VerifyPlace, ...args: readonly string[]) {
  return spawn(process.execPath, [main, 'verify', ...args], {
    ...{ cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    env: { PATH: process.env.PATH, ...environment },
  })
}

/** Runs it to its end. */
export async function runVerify(
  place: VerifyPlace,
  ...args: readonly string[]
): Promise<VerifyRun> {
  const child = startVerify(place, ...args)
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { status, stdout, stderr }
}

export function linesOf({ stdout }: VerifyRun): VerifyLine[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as VerifyLine)
}
