import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { publishBuild, removeLeftovers } from '../../../scripts/web-build/publish-build.ts'

const dayMs = 24 * 3_600_000

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-build-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Creates a build with one asset and returns its folder. */
function buildOf(root: string, name: string): string {
  const folder = join(root, `built-${name}`)
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'assets', `${name}.js`), name)
  writeFileSync(join(folder, 'index.html'), name)
  return folder
}

test('publishBuild publishes the first build', (t) => {
  const root = folderOf(t)
  const served = join(root, 'dist')
  publishBuild(buildOf(root, 'a'), served, Date.now())
  assert.equal(readFileSync(join(served, 'index.html'), 'utf8'), 'a')
  assert.deepEqual(readdirSync(join(served, 'assets')), ['a.js'])
})

test('publishBuild keeps the assets of the previous build for a day, for pages that are open', (t) => {
  const root = folderOf(t)
  const served = join(root, 'dist')
  const assets = () => readdirSync(join(served, 'assets')).sort()
  const now = Date.now()
  publishBuild(buildOf(root, 'a'), served, now)
  publishBuild(buildOf(root, 'b'), served, now)
  assert.equal(readFileSync(join(served, 'index.html'), 'utf8'), 'b')
  assert.deepEqual(assets(), ['a.js', 'b.js'])
  // The day begins when a build is replaced, not when it was published.
  publishBuild(buildOf(root, 'c'), served, now + 2 * dayMs)
  assert.deepEqual(assets(), ['b.js', 'c.js'])
  publishBuild(buildOf(root, 'd'), served, now + 2.5 * dayMs)
  assert.deepEqual(assets(), ['b.js', 'c.js', 'd.js'])
  publishBuild(buildOf(root, 'e'), served, now + 3.2 * dayMs)
  assert.deepEqual(assets(), ['c.js', 'd.js', 'e.js'])
})

test('publishBuild changes nothing if the build is already published', (t) => {
  const root = folderOf(t)
  const served = join(root, 'dist')
  publishBuild(buildOf(root, 'a'), served, Date.now())
  publishBuild(buildOf(root, 'a'), served, Date.now() + 2 * dayMs)
  assert.deepEqual(readdirSync(join(served, 'assets')), ['a.js'])
})

test('The package has the assets of the latest build only, and one copy of each', (t) => {
  const root = folderOf(t)
  const served = join(root, 'dist')
  for (const name of ['a', 'b']) {
    const built = buildOf(root, name)
    for (const copy of ['js.br', 'js.gz', 'png']) {
      writeFileSync(join(built, 'assets', `${name}.${copy}`), '')
    }
    publishBuild(built, served, Date.now())
  }
  const files = ['dist', '!dist/assets/*.br']
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'x', version: '1.0.0', files }))
  const pack = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const printed = execFileSync('npm', pack, { cwd: root, encoding: 'utf8' })
  const [packed] = JSON.parse(printed) as [{ files: { path: string }[] }]
  const paths = packed.files.map(({ path }) => path).sort()
  assert.deepEqual(paths, [
    ...['dist/assets.json', 'dist/assets/b.js.gz', 'dist/assets/b.png'],
    ...['dist/index.html', 'package.json'],
  ])
})

test('removeLeftovers removes only builds that were interrupted long ago', (t) => {
  const served = folderOf(t)
  mkdirSync(join(served, '.new-1'))
  mkdirSync(join(served, 'assets'))
  removeLeftovers(served, '.new-', Date.now())
  assert.deepEqual(readdirSync(served).sort(), ['.new-1', 'assets'])
  removeLeftovers(served, '.new-', Date.now() + 2 * dayMs)
  assert.deepEqual(readdirSync(served), ['assets'])
})
