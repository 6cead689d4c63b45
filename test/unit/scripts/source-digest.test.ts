import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sourceDigest } from '../../../scripts/source-digest.ts'

const root = mkdtempSync(join(tmpdir(), 'bucketry-digest-'))
after(() => rmSync(root, { recursive: true }))
mkdirSync(join(root, 'web/src'), { recursive: true })
mkdirSync(join(root, 'web/dist/assets'), { recursive: true })
writeFileSync(join(root, 'package-lock.json'), '{}')
writeFileSync(join(root, 'web/src/a.ts'), 'a')

test('sourceDigest ignores changes of the build', () => {
  const before = sourceDigest(root, ['web/**'])
  writeFileSync(join(root, 'web/dist/index.html'), 'built')
  writeFileSync(join(root, 'web/dist/assets/a.js'), 'built')
  assert.equal(sourceDigest(root, ['web/**']), before)
})

for (const [what, change] of [
  ['content', () => writeFileSync(join(root, 'web/src/a.ts'), 'b')],
  ['a new file', () => writeFileSync(join(root, 'web/src/c.ts'), '')],
  ['a name', () => renameSync(join(root, 'web/src/c.ts'), join(root, 'web/src/d.ts'))],
  ['the lock file', () => writeFileSync(join(root, 'package-lock.json'), '{"a":1}')],
  ['the configuration', () => writeFileSync(join(root, 'web/vite.config.ts'), '')],
] as const) {
  test(`sourceDigest sees ${what}`, () => {
    const before = sourceDigest(root, ['web/**'])
    change()
    assert.notEqual(sourceDigest(root, ['web/**']), before)
  })
}
