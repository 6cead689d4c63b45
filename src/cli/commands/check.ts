import { check } from '../../wiring/commands/check.ts'
import type { CommandCall } from '../command.ts'
import { homeFolder } from '../folder-buckets.ts'
import { nothingText, otherInstallations } from '../other-installations.ts'

/** Prints what works, one line each; fails with the first problem, and where no gateway has been started. */
export async function checkCommand({
  environment,
  buckets,
  options,
  warnings = [],
}: CommandCall): Promise<number> {
  const isThere = await check({
    ...{ environment, buckets, warnings },
    isBeforeStart: options.create === true,
    say: (line) => void process.stdout.write(`${line}\n`),
    writeLog: (line) => void process.stderr.write(line),
  })
  if (isThere) return 0
  const where = { home: homeFolder, dataHome: environment.XDG_DATA_HOME }
  process.stderr.write(nothingText(otherInstallations(where)))
  return 1
}
