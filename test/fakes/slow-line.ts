import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { absenceOf, type Scope } from '../support/webdav/server-process.ts'

/**
 * How a line behaves. What is random comes from `seed`: the n-th connection behaves the same each time.
 * Which request takes it is for the programs at the two ends to decide.
 */
export interface LineOptions {
  readonly seed: string
  /** Bytes a second in each direction of a connection; another speed every 2 MiB. */
  readonly slowest?: number
  readonly fastest?: number
}

export interface SlowLine {
  readonly port: number
  /** The same URL over this line: `webdav+http://…`, `http://…`. */
  urlFor(url: string): string
}

/**
 * Windows between 16 and 128 KiB and segments as on an Ethernet: the sender notices at once that the
 * line is slow. Without them the loopback takes several megabytes before it does.
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

/** Debian's: another one that comes first in PATH may start slowly. */
const program = '/usr/bin/python3'

/** Why there are no slow lines here, or false: for the `skip` of a test. */
export const absenceOfSlowLine = () => absenceOf(program, 'python3')

/** Puts a slow, uneven line before the server at `url`, until `scope` ends. */
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
