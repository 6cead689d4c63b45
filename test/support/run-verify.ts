import { spawn } from 'node:child_process'
import { type CommandPlace, type CommandRun, runCommand } from './run-command.ts'
import { startArguments } from './start-command.ts'

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

/** Starts `bucketry verify` in a given folder and with given settings. */
export function startVerify({ folder, environment }: CommandPlace, ...args: readonly string[]) {
  return spawn(process.execPath, [...startArguments(), 'verify', ...args], {
    ...{ cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    env: { PATH: process.env.PATH, ...environment },
  })
}

/** Runs it to its end. */
export function runVerify(place: CommandPlace, ...args: readonly string[]): Promise<CommandRun> {
  return runCommand(place, 'verify', ...args)
}

export function linesOf({ stdout }: Pick<CommandRun, 'stdout'>): VerifyLine[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as VerifyLine)
}
