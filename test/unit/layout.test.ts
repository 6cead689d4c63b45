import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { differences } from '../../src/storage/s3/compatibility.ts'
import { operations } from '../../src/storage/s3/operations.ts'
import {
  ciGroups,
  filesLeftOut,
  partialFiles,
  shareOf,
  testGroups,
} from '../support/test-groups.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const sourceFiles = execFileSync(
  'git',
  [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    'src',
    'test',
    'bench',
    'scripts',
    'web',
  ],
  {
    cwd: root,
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((path) => /\.tsx?$/.test(path) && existsSync(join(root, path)))

test('every operation has a row in docs/s3-compatibility.md', () => {
  const table = read('docs/s3-compatibility.md')
  for (const name of Object.keys(operations))
    assert.match(
      table,
      new RegExp(`^\\| ${name} +\\|`, 'm'),
      `${name} has no row in the table of operations`,
    )
})

test('src/storage/s3/operations has operations, in at most 25 files', async () => {
  const files = globSync('src/storage/s3/operations/*.ts', { cwd: root })
  const handlers = new Set<unknown>(Object.values(operations).map(({ handle }) => handle))
  for (const file of files) {
    const exported: object = await import(join(root, file))
    assert.ok(
      Object.values(exported).some((one) => handlers.has(one)),
      file,
    )
  }
  assert.ok(files.length <= 25, `${files.length} files`)
})

test('every difference of COMPATIBILITY=aws has its acceptance test', () => {
  const tested = globSync('test/acceptance/compatibility/*.test.ts', { cwd: root })
  const wanted = Object.keys(differences).map((name) => {
    const file = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return `test/acceptance/compatibility/${file}.test.ts`
  })
  assert.deepEqual(
    wanted.filter((path) => !tested.includes(path)),
    [],
  )
})

test('every test file belongs to exactly one group, and .ci/run runs every group once', () => {
  const grouped = Object.values(testGroups).flatMap((patterns) =>
    patterns.flatMap((pattern) => globSync(pattern, { cwd: root })),
  )
  const all = sourceFiles.filter((path) => path.endsWith('.test.ts'))
  assert.deepEqual(grouped.sort(), all.sort())
  const runs = [...read('.ci/run').matchAll(/npm (?:run )?(test[:a-z]*)/g)].map(([, name]) => name)
  assert.deepEqual(runs, ['test:container', 'test'])
  assert.deepEqual([...ciGroups, 'container'].sort(), Object.keys(testGroups).sort())
})

test('a push runs each partial file in some turn, but those of the nightly run', () => {
  const filesOf = (pattern: string) => globSync(pattern, { cwd: root })
  for (const { files } of partialFiles) assert.notDeepEqual(filesOf(files), [], files)
  const turns = ['0', '1', '2', '3', '4', '5', '6', '7'].map((turn) => filesLeftOut(filesOf, turn))
  const always = [...(turns[0] ?? [])].filter((file) => turns.every((left) => left.has(file)))
  const nightly = partialFiles.filter(({ every }) => every === Infinity)
  assert.deepEqual(always.sort(), nightly.flatMap(({ files }) => filesOf(files)).sort())
})

test('the shares of all turns are all cases, each once', () => {
  const cases = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const shares = ['3', '4', '5'].map((turn) => shareOf(cases, 3, turn))
  assert.deepEqual(shares, [
    ['a', 'd', 'g'],
    ['b', 'e'],
    ['c', 'f'],
  ])
})

test('no source file is longer than 400 lines', () => {
  const long = sourceFiles.filter((path) => read(path).split('\n').length > 401)
  assert.deepEqual(long, [])
})

test('no file is called utils, helpers, common, types or index', () => {
  const nameless = sourceFiles.filter((path) =>
    /(^|\/)(utils?|helpers?|common|types|index)\.tsx?$/.test(path),
  )
  assert.deepEqual(nameless, [])
})

/** Imports and exports from other files. Strings, and code that only looks like one, do not match. */
const importPattern =
  /^(?:import|export)\s+(?<type>type\s+)?(?:[\w*{}\s,$]+\sfrom\s+)?'(?<from>\.[^']+)'|\bimport\('(?<lazy>\.[^']+)'\)/gm

function importsOf(path: string): { readonly to: string; readonly isType: boolean }[] {
  return [...read(path).matchAll(importPattern)].map(({ groups = {} }) => ({
    to: join(path, '..', groups.from ?? groups.lazy ?? ''),
    isType: groups.type !== undefined,
  }))
}

test('web takes only types from src, and src/platform/text, which needs nothing else', () => {
  const importsBelow = (folder: string) =>
    sourceFiles
      .filter((path) => path.startsWith(folder))
      .flatMap((path) => importsOf(path).map((one) => ({ path, ...one })))
  const values = importsBelow('web/').filter(({ to, isType }) => to.startsWith('src/') && !isType)
  const needed = importsBelow('src/platform/text/')
  const others = [...values, ...needed].filter(({ to }) => !to.startsWith('src/platform/text/'))
  assert.deepEqual(others, [])
})

test('no files import each other in a circle, types included', () => {
  const done = new Set<string>()
  const circleFrom = (path: string, above: readonly string[]): readonly string[] | undefined => {
    if (above.includes(path)) return [...above.slice(above.indexOf(path)), path]
    if (done.has(path)) return undefined
    done.add(path)
    const imported = importsOf(path).filter(({ to }) => sourceFiles.includes(to))
    return imported.map(({ to }) => circleFrom(to, [...above, path])).find(Boolean)
  }
  assert.deepEqual(
    sourceFiles.flatMap((path) => circleFrom(path, []) ?? []),
    [],
  )
})

test('every program that a test names by its path exists', () => {
  const paths = sourceFiles.flatMap((path) =>
    [...read(path).matchAll(/join\(import\.meta\.dirname, '([^']+\.\w+)'\)/g)].map(([, to = '']) =>
      join(path, '..', to),
    ),
  )
  assert.ok(paths.length > 5)
  assert.deepEqual(
    paths.filter((path) => !existsSync(join(root, path))),
    [],
  )
})

test('every dependency has its reason in docs/decisions/dependencies.md', () => {
  const reasons = read('docs/decisions/dependencies.md')
  const manifest = JSON.parse(read('package.json')) as Record<
    'dependencies' | 'devDependencies',
    object
  >
  const names = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)]
  for (const name of names.filter((name) => !name.startsWith('@types/'))) {
    assert.ok(reasons.includes(name), `${name} has no reason`)
  }
})

test('every decision is listed in docs/decisions/README.md', () => {
  const list = read('docs/decisions/README.md')
  const pages = execFileSync('git', ['ls-files', 'docs/decisions/0*.md'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const page of pages.split('\n').filter(Boolean)) {
    assert.ok(list.includes(page.replace('docs/decisions/', '')), page)
  }
})

test('package-lock.json has every optional package, so that npm ci works on any platform', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>
  }
  const wanted = Object.values(packages).flatMap((entry) =>
    Object.keys(entry.optionalDependencies ?? {}),
  )
  assert.deepEqual(
    wanted.filter((name) => packages[`node_modules/${name}`] === undefined),
    [],
  )
})
