import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const project = join(import.meta.dirname, '../..')
const build = join(project, 'web/dist')

/** Bytes as sent over TLS, and files: of the sign-in page, and with what one of these pages adds to it. */
const mostFirst = { bytes: 145_000, files: 5 }
const mostWithPage = { bytes: 245_000, files: 16 }
const pages = ['folder', 'overview-page', 'shares-page', 'activity-page']
/** The page of a link has nothing of the dashboard but what draws pictures. */
const mostSharePage = { bytes: 10_000, files: 4 }

interface Chunk {
  readonly name?: string
  readonly file: string
  readonly css?: readonly string[]
  readonly assets?: readonly string[]
  readonly imports?: readonly string[]
}

type Manifest = Readonly<Record<string, Chunk>>

/** A chunk of Vite's manifest with its styles and everything it imports. */
function withImports(
  manifest: Manifest,
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

function sentBytes(file: string): number {
  const path = join(build, file)
  return (statSync(`${path}.br`, { throwIfNoEntry: false }) ?? statSync(path)).size
}

function assertSmall(name: string, files: ReadonlySet<string>, most: typeof mostFirst): void {
  const bytes = [...files].reduce((sum, file) => sum + sentBytes(file), 0)
  assert.ok(bytes <= most.bytes, `${name} loads ${bytes} bytes`)
  assert.ok(files.size <= most.files, `${name} loads ${[...files].join(' ')}`)
}

/** A chunk by its name in web/vite.config.ts, or that of its page. */
function loadedWith(name: string): ReadonlySet<string> {
  const found = Object.entries(manifest).find(([, chunk]) => chunk.name === name)
  assert.ok(found !== undefined, `the build has no ${name}`)
  return withImports(manifest, found[0])
}

const manifest = JSON.parse(readFileSync(join(build, 'manifest.json'), 'utf8')) as Manifest

test('the sign-in page and what other pages add to it stay small', () => {
  const first = loadedWith('index')
  assertSmall('the sign-in page', first, mostFirst)
  for (const page of pages) {
    assertSmall(page, new Set([...first, ...loadedWith(page)]), mostWithPage)
  }
  assertSmall('the page of a link', loadedWith('share'), mostSharePage)
})

test('menus and dialogs are not loaded with a folder', () => {
  const loaded = [...loadedWith('folder')].join(' ')
  assert.doesNotMatch(loaded, /popups|dialogs|transport/)
})

test('chunks do not import each other in a circle', () => {
  for (const [name, { file }] of Object.entries(manifest)) {
    for (const imported of manifest[name]?.imports ?? []) {
      assert.ok(!withImports(manifest, imported).has(file), `${imported} imports ${name}`)
    }
  }
})

test('the styles are those of the components that are used', () => {
  const all = readFileSync(join(project, 'node_modules/@mantine/core/styles.css'), 'utf8')
  const classes = new Set(all.match(/\bm_[0-9a-f]+\b/g))
  const namesIn = (files: ReadonlySet<string>, end: string) =>
    new Set(
      [...files]
        .filter((file) => file.endsWith(end))
        .flatMap((file) => readFileSync(join(build, file), 'utf8').match(/\bm_[0-9a-f]+\b/g) ?? [])
        .filter((name) => classes.has(name)),
    )
  const dashboard = new Set(
    Object.keys(manifest)
      .filter((name) => !/^(?:docs|share)\.html$/.test(name))
      .flatMap((name) => [...withImports(manifest, name)]),
  )
  const [used, styled] = [namesIn(dashboard, '.js'), namesIn(dashboard, '.css')]
  const missing = [...used].filter((name) => !styled.has(name))
  assert.deepEqual(missing, [], 'web/src/app/mantine.css lacks components')
})
