import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRequestTarget } from '../../../../src/platform/http/request-target.ts'

const targets: readonly (readonly [string, string, string])[] = [
  ['/', '/', ''],
  ['/b/k', '/b/k', ''],
  ['/b/k?uploads', '/b/k', 'uploads'],
  ['/b/k?a=1?b=2', '/b/k', 'a=1?b=2'],
  ['/b/k?', '/b/k', ''],
  ['/b//../%2F+%zz', '/b//../%2F+%zz', ''],
  ['/b/k#fragment', '/b/k#fragment', ''],
  ['http://host:9000/b/k?x', '/b/k', 'x'],
  ['HTTPS://host/b', '/b', ''],
  ['http://host', '/', ''],
  ['http://host?list-type=2', '/', 'list-type=2'],
  ['//host/key', '//host/key', ''],
]

for (const [target, rawPath, rawQuery] of targets) {
  test(`A request target ${target} is split without change`, () => {
    assert.deepEqual(parseRequestTarget(target), { rawPath, rawQuery })
  })
}

for (const target of ['*', 'host:443', '', 'ftp://host/x', 'b/k', 'http://']) {
  test(`A request target ${JSON.stringify(target)} names no path`, () => {
    assert.equal(parseRequestTarget(target), undefined)
  })
}
