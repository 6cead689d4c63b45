import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { openTerminal } from '../../../../src/app/cli/connect/terminal.ts'
import { confirmNewFolder } from '../../../../src/app/cli/folder-buckets.ts'

const missing = '/nonexistent/folder'

/** Whether the folder may be created when the user types this. */
async function answered(text: string): Promise<boolean> {
  const input = new PassThrough()
  const output = new PassThrough()
  input.end(text)
  const isConfirmed = await confirmNewFolder(missing, {
    creates: false,
    openTerminal: async () => openTerminal(input, output),
  }).then(
    () => true,
    (error: Error) => {
      assert.match(`${error.name} ${error.message}`, /UsageError .*not created|input ended/)
      return false
    },
  )
  assert.match(String(output.read()), /^\/nonexistent\/folder does not exist\. Create it, with new/)
  return isConfirmed
}

test('A folder that does not exist is created only if the user says so', async () => {
  assert.equal(await answered('y\n'), true)
  assert.equal(await answered('Yes\n'), true)
  for (const text of ['\n', 'n\n', 'yellow\n', '']) assert.equal(await answered(text), false, text)
})

test('Where nobody can answer, a folder is created only with --create', async (t) => {
  const silent = { creates: false, openTerminal: undefined }
  await assert.rejects(confirmNewFolder(missing, silent), {
    name: 'UsageError',
    message: '/nonexistent/folder does not exist. To create it, add --create.',
  })
  await confirmNewFolder(missing, { ...silent, creates: true })
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-new-folder-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await confirmNewFolder(folder, silent)
})
