import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const build = join(import.meta.dirname, '../../web/dist')

/** The limit for the compressed scripts of the sign-in page and the file browser together. */
const allowedBytes = 300_000

interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
}

/** A chunk of Vite's manifest and everything it imports. */
function withImports(
  manifest: Readonly<Record<string, Chunk>>,
  name: string,
  found = new Set<string>(),
): ReadonlySet<string> {
  const chunk = manifest[name]
  assert.ok(chunk !== undefined, `the build has no ${name}`)
  if (found.has(chunk.file)) return found
  found.add(chunk.file)
  for (const imported of chunk.imports ?? []) withImports(manifest, imported, found)
  return found
}

/** The size as sent over plain http, where browsers accept gzip at best. */
function sentBytes(file: string): number {
  const path = join(build, file)
  return (statSync(`${path}.gz`, { throwIfNoEntry: false }) ?? statSync(path)).size
}

test('the sign-in and files pages load less than 300 KB of compressed script', () => {
  const manifest = JSON.parse(readFileSync(join(build, 'manifest.json'), 'utf8'))
  const chunks = new Set([
    ...withImports(manifest, 'index.html'),
    ...withImports(manifest, 'src/files/files-page.tsx'),
  ])
  const bytes = [...chunks].reduce((sum, file) => sum + sentBytes(file), 0)
  assert.ok(bytes < allowedBytes, `${[...chunks].join(', ')} have ${bytes} bytes`)
})
