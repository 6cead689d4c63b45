/**
 * Loaded into the process of each test file by run-tests.ts: when the process ends, it appends its CPU time, and that
 * of the processes it waited for, to the file in CPU_TIMES. Only Linux tells the latter (proc(5), /proc/pid/stat).
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const times = process.env.CPU_TIMES
const statistics = '/proc/self/stat'
/** USER_HZ, which is the same on all machines that Node supports. */
const ticksPerSecond = 100

if (times !== undefined && isMainThread && existsSync(statistics)) {
  process.on('exit', () => appendFileSync(times, `${cpuSeconds()} ${process.argv[1]}\n`))
}

function cpuSeconds(): number {
  const line = readFileSync(statistics, 'utf8')
  // The name before them is in parentheses and may contain anything; the third field follows.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  // utime, stime, cutime and cstime
  const ticks = fields.slice(14 - 3, 18 - 3).reduce((sum, field) => sum + Number(field), 0)
  return ticks / ticksPerSecond
}
