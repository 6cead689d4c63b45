import { check } from '../../wiring/commands/check.ts'
import type { CommandCall } from '../command.ts'

/** Prints what works, one line each; fails with the first problem. */
export async function checkCommand({
  environment,
  buckets,
  warnings = [],
}: CommandCall): Promise<number> {
  await check({
    ...{ environment, buckets, warnings },
    say: (line) => void process.stdout.write(`${line}\n`),
    writeLog: (line) => void process.stderr.write(line),
  })
  return 0
}
