import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { types } from 'node:util'
import { bundle, bundledPackages } from '../../../scripts/server-build/bundle.ts'

const root = join(import.meta.dirname, '../../..')
const require = createRequire(import.meta.url)

test('the bundle contains every package that is an ES module with a default export', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const found = Object.keys(dependencies).filter((name) => {
    const required = require(name) as object
    return types.isModuleNamespaceObject(required) && 'default' in required
  })
  assert.deepEqual(found, [...bundledPackages])
})

test('the bundle has the script of every thread, and names it where the thread is started', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-bundle-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await bundle({ main: join(root, 'src/main.ts') }, folder)
  const scripts = globSync('src/**/*-thread.ts', { cwd: root })
    .map((path) => basename(path, '.ts'))
    .filter((name) => name !== 'call-thread')
  assert.ok(scripts.length > 3)
  const chunks = globSync('*.cjs', { cwd: folder }).map((name) =>
    readFileSync(join(folder, name), 'utf8'),
  )
  const started = chunks.flatMap((code) =>
    [...code.matchAll(/new URL\("\.\/([\w.-]+-thread\.\w+)"/g)].map(([, name]) => name),
  )
  assert.deepEqual(started.toSorted(), scripts.map((name) => `${name}.cjs`).toSorted())
  for (const name of started) assert.ok(readFileSync(join(folder, name ?? ''), 'utf8').length > 0)
})
