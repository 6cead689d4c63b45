import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const main = join(import.meta.dirname, '../../src/main.ts')

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

/** Runs `bucketry ARGS` to its end. */
export async function runCommand(
  { folder, environment }: CommandPlace,
  ...args: readonly string[]
): Promise<CommandRun> {
  const child = spawn(process.execPath, [main, ...args], {
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
