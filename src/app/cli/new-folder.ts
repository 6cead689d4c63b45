import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from './command.ts'
import type { Terminal } from './connect/terminal.ts'

interface NewFolderParts {
  /** Whether `--create` is given. */
  readonly creates: boolean
  /** Absent if nobody can answer. Closed after the answer. */
  readonly openTerminal: (() => Promise<Terminal>) | undefined
}

/**
 * Asks before a folder is created that was named on the command line: a folder that does not exist is usually a typing
 * error, or is not mounted.
 *
 * @throws UsageError when it is not to be created
 */
export async function confirmNewFolder(
  folder: string,
  { creates, openTerminal }: NewFolderParts,
): Promise<void> {
  if (creates || existsSync(folder)) return
  const what = `${resolve(folder)} does not exist`
  if (openTerminal === undefined) throw new UsageError(`${what}. To create it, add --create.`)
  const terminal = await openTerminal()
  try {
    const answer = await terminal.ask(`${what}. Create it, with new keys? [y/N] `)
    if (!/^y(es)?$/i.test(answer)) throw new UsageError(`${what}, and was not created.`)
  } finally {
    terminal.close()
  }
}
