import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { absenceOf, type Scope } from '../support/webdav/server-process.ts'

/**
 * How a line behaves. Randomness comes from `seed`: the n-th connection behaves the same each time. The
 * programs at both ends decide which request uses it.
 */
export interface LineOptions {
  readonly seed: string
  /** Bytes per second in each direction of a connection; the speed changes every 2 MiB. */
  readonly slowest?: number
  readonly fastest?: number
}

export interface SlowLine {
  readonly port: number
  /** The same URL through this line: `webdav+http://…`, `http://…`. */
  urlFor(url: string): string
}

/**
 * Windows between 16 and 128 KiB, and segments as on Ethernet: the sender notices immediately that the
 * line is slow. Otherwise the loopback would buffer several megabytes first.
 */
const windows = [16_384, 32_768, 65_536, 131_072]
const segments = [536, 1_460]
const mebibyte = 1024 * 1024
const uneven = {
  ...{ windows, segments },
  slowest: mebibyte,
  fastest: 20 * mebibyte,
  largestChunk: 65_536,
  /** Bytes between two pauses, on average. */
  pauseEvery: mebibyte,
  /** Seconds. */
  longestPause: 0.1,
}

/** Debian's Python: another one, first in PATH, may start slowly. */
const program = '/usr/bin/python3'

/** Why slow lines are not available, or false: for the `skip` of a test. */
export const absenceOfSlowLine = () => absenceOf(program, 'python3')

/** Starts a slow, uneven line to the server at `url`, until `scope` ends. */
export async function startSlowLine(
  scope: Pick<Scope, 'after'>,
  url: string,
  options: LineOptions,
): Promise<SlowLine> {
  const { host, port: serverPort } = new URL(url)
  const parameters = JSON.stringify({ ...uneven, ...options, port: Number(serverPort) })
  const script = join(import.meta.dirname, 'slow-line.py')
  const line = spawn(program, [script, parameters], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(line, 'exit')
  scope.after(async () => {
    line.stdin.end()
    await ended
  })
  const [text] = await Promise.race([
    once(createInterface(line.stdout), 'line'),
    ended.then(([status]) => {
      throw new Error(`the slow line ended with status ${status}`)
    }),
  ])
  const port = Number(text)
  return { port, urlFor: (of) => of.replace(host, `127.0.0.1:${port}`) }
}
