import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isServerCurrent } from '../../scripts/server-build/build-server.ts'

const root = join(import.meta.dirname, '../..')

/**
 * What `npm start` gives to node: flags, and the main file by its absolute path. Builds the server first
 * if its sources have changed.
 */
export function startArguments(): string[] {
  if (!isServerCurrent(root)) {
    execFileSync(process.execPath, [join(root, 'scripts/build.ts'), 'server'])
  }
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  const words = scripts.start.split(' ')
  const given = words.slice(words.indexOf('node') + 1)
  return given.map((word) => (word.endsWith('.cjs') ? join(root, word) : word))
}
