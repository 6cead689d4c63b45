import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Processes for the unit tests: enough to use all cores to the end, few enough to save their starts. */
const processes = 16

/** Hooks would apply to all files of the process, and what these calls change may be seen by all of them. */
const needsOwnProcess =
  /^(?:before|after)(?:Each)?\(|process\.(?:env|on|once|exit|chdir|umask)\b|mock\.timers|mock\.method\(Date\b|^mock\./m

/**
 * The files to run, with the unit tests in groups that share a process: half of the time of a unit test
 * goes into starting its process and loading modules. A group is a file that imports its members.
 *
 * @param folder an existing folder for the files of the groups
 */
export function shareProcesses(files: readonly string[], folder: string): string[] {
  const sharing = files.filter((file) => file.startsWith('test/unit/') && canShare(file))
  if (sharing.length <= processes) return [...files]
  const groups = Array.from({ length: processes }, (_, index) => {
    const path = join(folder, `unit-${index}.mjs`)
    const members = sharing.filter((_, position) => position % processes === index)
    writeFileSync(path, members.map((file) => `import '${pathToFileURL(file)}'\n`).join(''))
    return path
  })
  const shared = new Set(sharing)
  return [...files.filter((file) => !shared.has(file)), ...groups]
}

function canShare(file: string): boolean {
  return !needsOwnProcess.test(readFileSync(file, 'utf8'))
}
