import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  accessByPolicy,
  aclEffect,
  listSetting,
  publicAccess,
} from '../../../../web/src/api/public-access.ts'

function statusWith(value: string) {
  return {
    settings: [
      {
        name: 'PUBLIC_LIST',
        value,
        isSecret: false,
        isSet: value !== 'true',
        source: 'default' as const,
      },
    ],
  }
}

test('in a public bucket everyone can list names, unless PUBLIC_LIST is false', () => {
  for (const status of [undefined, { settings: [] }, statusWith('true')]) {
    assert.match(
      publicAccess(status),
      /^Everyone can list the names of all files and download them/,
    )
    assert.match(listSetting(status), /PUBLIC_LIST=false would keep the names/)
  }
})

test('with PUBLIC_LIST=false everyone can still download what they know or guess', () => {
  const status = statusWith('false')
  assert.match(
    publicAccess(status),
    /^Everyone who knows or guesses the name of a file can download/,
  )
  assert.match(listSetting(status), /PUBLIC_LIST=false keeps the list of names private/)
})

test('a policy is told, and what ACLS makes of ACLs', () => {
  assert.equal(accessByPolicy([]), '')
  const told = accessByPolicy(['list', 'read images/*'])
  assert.equal(told, 'A bucket policy lets everyone list, read images/*.')
  const acls = (value: string) => ({
    settings: [{ name: 'ACLS', value, isSecret: false, isSet: false, source: 'default' as const }],
  })
  assert.match(aclEffect(acls('ignore')), /have no effect/)
  assert.match(aclEffect(acls('object')), /^Files that a client made private .* stay private/)
  assert.match(aclEffect(acls('bucket')), /can change this switch.*stay private/)
  assert.equal(aclEffect(acls('refuse')), '')
})
