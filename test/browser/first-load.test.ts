import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const build = join(import.meta.dirname, '../../web/dist')

/** Limits in bytes as sent: of the sign-in page, and of what one of these pages adds to it. */
const mostFirst = 200_000
const mostAdded = 76_000
const pages = ['src/overview/overview-page.tsx', 'src/files/files-page.tsx']

interface Chunk {
  readonly file: string
  readonly css?: readonly string[]
  readonly assets?: readonly string[]
  readonly imports?: readonly string[]
}

/** A chunk of Vite's manifest with its styles and everything it imports. */
function withImports(
  manifest: Readonly<Record<string, Chunk>>,
  name: string,
  found = new Set<string>(),
): ReadonlySet<string> {
  const chunk = manifest[name]
  assert.ok(chunk !== undefined, `the build has no ${name}`)
  if (found.has(chunk.file)) return found
  for (const file of [chunk.file, ...(chunk.css ?? []), ...(chunk.assets ?? [])]) found.add(file)
  for (const imported of chunk.imports ?? []) withImports(manifest, imported, found)
  return found
}

/** The size as sent over plain http, where browsers accept gzip at best. */
function sentBytes(file: string): number {
  const path = join(build, file)
  return (statSync(`${path}.gz`, { throwIfNoEntry: false }) ?? statSync(path)).size
}

function bytesOf(files: Iterable<string>): number {
  return [...files].reduce((sum, file) => sum + sentBytes(file), 0)
}

test('the sign-in page and what other pages add to it stay small', () => {
  const manifest = JSON.parse(readFileSync(join(build, 'manifest.json'), 'utf8'))
  const first = withImports(manifest, 'index.html')
  assert.ok(bytesOf(first) < mostFirst, `the sign-in page loads ${bytesOf(first)} bytes`)
  for (const page of pages) {
    const added = [...withImports(manifest, page)].filter((file) => !first.has(file))
    assert.ok(bytesOf(added) < mostAdded, `${page} adds ${bytesOf(added)} bytes`)
  }
})
