import { execFileSync } from 'node:child_process'
import { closeSync, fstatSync, openSync, readSync, rmSync, writeSync } from 'node:fs'

/** Changes one byte in the middle of a file as a failing disk does: its size and times stay the same. */
export function flipByte(path: string): void {
  const times = `${path}.times`
  // Node gives and takes times as numbers, which lose nanoseconds.
  execFileSync('cp', ['--preserve=timestamps', path, times])
  const file = openSync(path, 'r+')
  const byte = Buffer.alloc(1)
  const position = Math.floor(fstatSync(file).size / 2)
  readSync(file, byte, 0, 1, position)
  byte[0] = (byte[0] ?? 0) ^ 1
  writeSync(file, byte, 0, 1, position)
  closeSync(file)
  execFileSync('touch', ['--reference', times, path])
  rmSync(times)
}
