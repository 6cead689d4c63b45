import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBucketName } from '../../../../src/app/settings/parse-names.ts'
import { bucketNameProblem, validBucketName } from '../../../../web/src/buckets/bucket-name.ts'

for (const name of ['ab', 'a'.repeat(64), 'Photos', 'photos_1', '-photos', 'photos.']) {
  test(`The form refuses the bucket name ${name.slice(0, 20)}, as the service does`, () => {
    assert.notEqual(bucketNameProblem(name), undefined)
    assert.equal(isBucketName(name), false)
  })
}

test('The form accepts a legal bucket name', () => {
  assert.equal(bucketNameProblem('photos.2026-a'), undefined)
  assert.ok(isBucketName('photos.2026-a'))
})

for (const [text, name] of [
  ['My Photos', 'my-photos'],
  ['  Größe & Café 2026!', 'grosse-cafe-2026'],
  ['a...b.-c', 'a.b.c'],
  [`${'x'.repeat(62)} y`, 'x'.repeat(62)],
  ['photos', 'photos'],
  ['写真', undefined],
  ['a', undefined],
] as const) {
  test(`The form offers ${name} for ${text.slice(0, 20)}`, () => {
    assert.equal(validBucketName(text), name)
    assert.ok(name === undefined || isBucketName(name))
  })
}
