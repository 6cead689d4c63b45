import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { startArguments } from './start-command.ts'

/** Where a command runs, and its settings. */
export interface CommandPlace {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
}

/** What a command has printed. */
export interface CommandRun {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs `bucketry ARGS` to its end, as an operator does: the built server starts in half the CPU time of its sources. */
export async function runCommand(
  { folder, environment }: CommandPlace,
  ...args: readonly string[]
): Promise<CommandRun> {
  const child = spawn(process.execPath, [...startArguments(), ...args], {
    ...{ cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    env: { PATH: process.env.PATH, ...environment },
  })
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { status, stdout, stderr }
}
