import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingFlags, withFlags } from '../../../../src/app/cli/parse-command-line.ts'
import { settingsTable } from '../../../../src/app/settings/tables/settings-table.ts'

test('Every setting has a flag', () => {
  assert.equal(settingFlags.length, Object.keys(settingsTable).length)
  assert.ok(settingFlags.every(({ flag }) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(flag)))
})

test('A flag replaces both forms of its setting in the environment', () => {
  const environment = { SECRET_KEY: 'old', PORT_FILE: '/port', REGION: 'here', HOME: '/root' }
  const joined = withFlags(environment, { SECRET_KEY_FILE: '/key', PORT: '1' })
  assert.deepEqual(joined, {
    SECRET_KEY: undefined,
    SECRET_KEY_FILE: '/key',
    PORT: '1',
    PORT_FILE: undefined,
    REGION: 'here',
    HOME: '/root',
  })
})
