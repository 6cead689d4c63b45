import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectError } from '../../../../../../src/app/cli/command.ts'
import { googleRemote } from '../../../../../../src/app/cli/connect/rclone/google-remote.ts'

const token = JSON.stringify({ access_token: 'a', refresh_token: '1//refresh', expiry: 'x' })
const remote = {
  type: 'drive',
  client_id: 'id-1',
  client_secret: 'secret-1',
  scope: 'drive',
  token,
}

test('googleRemote takes client, token, shared drive and root folder', () => {
  const more = { ...remote, team_drive: '0ABC', root_folder_id: '1XYZ' }
  assert.deepEqual(googleRemote('gd', more, undefined), {
    settings: {
      GDRIVE_CLIENT_ID: 'id-1',
      GDRIVE_CLIENT_SECRET: 'secret-1',
      GDRIVE_REFRESH_TOKEN: '1//refresh',
      GDRIVE_SERVICE_ACCOUNT: undefined,
      GDRIVE_SHARED_DRIVE: '0ABC',
      DRIVE: 'gdrive:1XYZ',
    },
    notes: [],
  })
})

test('googleRemote takes only the file of a service account if there is one', () => {
  const { settings } = googleRemote('gd', { ...remote, service_account_file: '/k.json' }, undefined)
  assert.deepEqual(settings, {
    GDRIVE_CLIENT_ID: undefined,
    GDRIVE_CLIENT_SECRET: undefined,
    GDRIVE_REFRESH_TOKEN: undefined,
    GDRIVE_SERVICE_ACCOUNT: '/k.json',
  })
})

test('googleRemote takes the given client if the remote has none', () => {
  const bare = { type: 'drive', client_id: '', token }
  const { settings } = googleRemote('gd', bare, { id: 'mine', secret: 'my-secret' })
  assert.equal(settings.GDRIVE_CLIENT_ID, 'mine')
  assert.equal(settings.GDRIVE_CLIENT_SECRET, 'my-secret')
})

test('googleRemote explains what a narrow scope and an impersonation mean', () => {
  const notes = (more: object) => googleRemote('gd', { ...remote, ...more }, undefined).notes.join()
  assert.match(notes({ scope: 'drive.file' }), /only files that rclone created/)
  assert.match(notes({ scope: 'drive.readonly' }), /writes are not allowed/)
  assert.equal(notes({ scope: 'drive,drive.appfolder' }), '')
  assert.match(notes({ impersonate: 'ann@example.org' }), /GDRIVE_SUBJECT=ann@example\.org/)
})

const mistakes: readonly (readonly [string, Record<string, string>, RegExp])[] = [
  ['of another type', { type: 'crypt', remote: 'gd:x' }, /is of the type crypt: expected drive/],
  [
    "with rclone's own client",
    { type: 'drive', token },
    /rclone's built-in client.*bucketry connect google/,
  ],
  ['with half a client', { type: 'drive', client_id: 'x', token }, /no client_secret/],
  [
    'without a token',
    { ...remote, token: '' },
    /no refresh token: run `rclone config reconnect gd:`/,
  ],
  [
    'with a token that is none',
    { ...remote, token: '{"access_token":"secret"}' },
    /no refresh token/,
  ],
  [
    'with a service account in itself',
    { type: 'drive', service_account_credentials: '{secret}' },
    /to a file/,
  ],
]
for (const [name, wrong, message] of mistakes) {
  test(`googleRemote says what to do about a remote ${name}`, () => {
    assert.throws(
      () => googleRemote('gd', wrong, undefined),
      (error) => {
        assert.ok(error instanceof ConnectError)
        assert.match(error.message, message)
        assert.doesNotMatch(error.message, /1\/\/refresh|\{secret|"secret"/)
        return true
      },
    )
  })
}
