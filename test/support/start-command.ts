import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../', import.meta.url)

/** What `npm start` gives to node: flags, and the main file by its absolute path. */
export function startArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
    scripts: { start: string }
  }
  const words = scripts.start.split(' ')
  const given = words.slice(words.indexOf('node') + 1)
  return given.map((word) => (word.endsWith('.ts') ? fileURLToPath(new URL(word, root)) : word))
}
