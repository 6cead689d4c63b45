import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { types } from 'node:util'
import { bundledPackages } from '../../../scripts/server-build/bundle.ts'

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
