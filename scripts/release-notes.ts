import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { releaseNotes } from './release/release-notes.ts'

/**
 * `node scripts/release-notes.ts v0.2.0` prints the section of this version in CHANGELOG.md, for the release
 * on GitHub. Fails if there is none, or if package.json has another version.
 */
const root = join(import.meta.dirname, '..')
const { positionals } = parseArgs({ allowPositionals: true })
const [tag = ''] = positionals
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }
if (tag !== `v${version}`) {
  throw new Error(`the tag is ${tag}, but package.json has version ${version}`)
}
process.stdout.write(releaseNotes(read('CHANGELOG.md'), version))
