import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  actions,
  anonymous,
  canSeeBucket,
  type Grant,
  isAuthorized,
  owner,
} from '../../../../src/storage/access/authorize.ts'

const buckets = ['photos', 'photos2', 'backup', '*'] as const
const prefixes = ['', 'a', 'a/', 'a/b', 'ä', '*'] as const
const keys = ['', 'a', 'a/', 'a/b', 'a/b/c', 'b', 'A', 'ä/x', '*', '\u0000'] as const

/** All rights of a key, spelled out: `action bucket key`. */
function rightsOf(grants: readonly Grant[]): ReadonlySet<string> {
  return new Set(grants.flatMap(rightsOfGrant))
}

function rightsOfGrant({ bucket: name, prefix, actions: allowed }: Grant): string[] {
  const allowedKeys = keys.filter((key) => key.slice(0, prefix.length) === prefix)
  return (name === '*' ? buckets : [name]).flatMap((bucket) =>
    allowed.flatMap((action) => [
      ...allowedKeys.map((key) => `${action} ${bucket} ${key}`),
      ...(action === 'write' ? allowedKeys.map((key) => `create ${bucket} ${key}`) : []),
      `any ${bucket} `,
    ]),
  )
}

/** Everything that a request may ask for. */
const allWanted = buckets
  .slice(0, -1)
  .flatMap((bucket) => [
    { action: 'any', bucket, key: '' } as const,
    ...actions.flatMap((action) => keys.map((key) => ({ action, bucket, key }))),
  ])

function* randomGrants(count: number): Generator<readonly Grant[]> {
  let state = 1
  const random = (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  const pick = <Value>(from: readonly Value[]) => from[random(from.length)] as Value
  for (let made = 0; made < count; made += 1) {
    yield Array.from({ length: random(4) }, () => ({
      bucket: pick(buckets),
      prefix: pick(prefixes),
      actions: actions.filter(() => random(3) === 0),
    }))
  }
}

test('A key may do what one of its grants allows, and nothing else', () => {
  let allowed = 0
  for (const grants of randomGrants(500)) {
    const rights = rightsOf(grants)
    const identity = { kind: 'key', accessKeyId: 'AK', name: 'app', grants, limits: {} } as const
    for (const wanted of allWanted) {
      const { action, bucket, key } = wanted
      const isPermitted = rights.has(`${action} ${bucket} ${key}`)
      const context = JSON.stringify({ grants, wanted })
      assert.equal(isAuthorized(identity, { ...wanted, isPublic: false }), isPermitted, context)
      assert.equal(isAuthorized(identity, { ...wanted, isPublic: true }), true, context)
      assert.equal(canSeeBucket(identity, bucket), rights.has(`any ${bucket} `), context)
      allowed += Number(isPermitted)
    }
  }
  assert.ok(allowed > 1_000)
})

test('The owner may do everything, an unsigned request only what is public', () => {
  for (const action of [...actions, 'any'] as const) {
    const wanted = { action, bucket: 'photos', key: '' }
    assert.equal(isAuthorized(owner, { ...wanted, isPublic: false }), true)
    assert.equal(isAuthorized(anonymous, { ...wanted, isPublic: false }), false)
    assert.equal(isAuthorized(anonymous, { ...wanted, isPublic: true }), true)
  }
})

test('A version needs rights of its own, which a public bucket does not give', () => {
  /** Action → the rights that it needs for a version. */
  const needed = {
    list: ['read-version'],
    read: ['read-version'],
    write: ['write', 'delete-version'],
    delete: ['delete-version'],
  } as const
  for (const grants of randomGrants(200)) {
    const rights = rightsOf(grants)
    const identity = { kind: 'key', accessKeyId: 'AK', name: 'app', grants, limits: {} } as const
    for (const action of ['list', 'read', 'write', 'delete'] as const) {
      for (const [bucket, key] of buckets
        .slice(0, -1)
        .flatMap((b) => keys.map((k) => [b, k] as const))) {
        const wanted = { action, bucket, key, isPublic: true, isOfVersion: true }
        const isPermitted = needed[action].every((right) => rights.has(`${right} ${bucket} ${key}`))
        assert.equal(
          isAuthorized(identity, wanted),
          isPermitted,
          JSON.stringify({ grants, wanted }),
        )
        assert.equal(isAuthorized(owner, wanted), true)
        assert.equal(isAuthorized(anonymous, wanted), false)
      }
    }
  }
})
