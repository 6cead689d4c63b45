import { backup, restore } from '../../wiring/commands/backup.ts'
import type { CommandCall } from '../command.ts'

/** Writes a backup. */
export async function backupCommand({
  environment,
  buckets,
  operands,
}: CommandCall): Promise<number> {
  const done = await backup({ environment, buckets, file: operands[0] ?? '' })
  process.stderr.write(`${done}\n`)
  return 0
}

/** Restores a backup. */
export async function restoreCommand({
  environment,
  buckets,
  operands,
}: CommandCall): Promise<number> {
  const done = await restore({ environment, buckets, file: operands[0] ?? '' })
  process.stderr.write(`${done}\n`)
  return 0
}
