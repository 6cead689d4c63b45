import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { nothingText, otherInstallations } from '../../../../../src/app/cli/commands/check.ts'
import { SettingsError } from '../../../../../src/platform/process/setting-mistake.ts'

test('Data of the service and of named folders is found, and what to run for each', (t) => {
  const dataHome = mkdtempSync(join(tmpdir(), 'bucketry-other-'))
  t.after(() => rmSync(dataHome, { recursive: true }))
  const where = { home: () => assert.fail('the home folder is not needed'), dataHome }
  const service = join(dataHome, 'service')
  assert.deepEqual(otherInstallations(where, service), { service: undefined, folders: [] })
  for (const name of ['service', 'bucketry/files-0a1b2c3d']) {
    mkdirSync(join(dataHome, name), { recursive: true })
  }
  const text = nothingText(otherInstallations(where, service))
  assert.match(
    text,
    /no gateway has been started with these settings, or a disk is not mounted\.\n/,
  )
  assert.match(text, /service: run DATA_DIR=\S+service bucketry check as the user/)
  assert.match(text, /files-0a1b2c3d: run bucketry check FOLDER/)
})

test('A user without a home folder is told the same', () => {
  const home = () => {
    throw new SettingsError(['no home'])
  }
  const found = otherInstallations({ home, dataHome: undefined }, '/nonexistent')
  assert.doesNotMatch(nothingText(found), /other gateways/)
})
