import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { WriteConditions } from '../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../src/storage/drives/drive-error.ts'
import { openS3Drive } from '../../../src/storage/drives/s3/s3-drive.ts'
import { bytesOf, getText, put, rejectsAs } from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import { newFolder, s3DriveOptions } from '../../contract/s3-drive-under-test.ts'
import { startGatewayInProcess } from '../../support/gateway-in-process.ts'

/** An upload whose next Complete is on its way to the store until `arrive` is called. */
async function lateComplete(t: TestContext, conditions?: WriteConditions) {
  const store = await startGatewayInProcess(t, { COMPATIBILITY: 'aws' })
  const [sent, arrives] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const line = createServer((client) => {
    const target = connect(store.port, '127.0.0.1')
    client.on('data', async (chunk) => {
      if (/^POST \S*\/k\?uploadId=/.test(chunk.toString('latin1'))) {
        sent.resolve()
        await arrives.promise
      }
      target.write(chunk)
    })
    target.on('data', (chunk) => client.write(chunk)).on('error', () => undefined)
    client.on('close', () => target.destroy()).on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(line, 'listening')
  t.after(() => void line.close())
  const { port } = line.address() as { readonly port: number }
  const path = newFolder(store.bucket)
  const open = async (url: string) => {
    const drive = await openS3Drive(await s3DriveOptions(t, { url, path, ...store.credentials }))
    t.after(() => drive.close())
    await drive.prepare(['alpha'])
    return drive
  }
  const direct = await open(store.url)
  const session = await UploadSession.begin(await open(`http://127.0.0.1:${port}`), 'k')
  await session.append(bytesOf(1_000))
  let isLost = false
  const completed = session.complete(conditions, 1_000, () => {
    if (isLost) throw new DriveError('busy', 'another process goes on')
  })
  completed.catch(() => undefined)
  await sent.promise
  return {
    ...{ direct, completed },
    lose() {
      isLost = true
    },
    arrive: () => arrives.resolve(),
  }
}

for (const [what, conditions] of [
  ['a Complete', undefined],
  ['a Complete under a condition', { ifNoneMatch: ['0'.repeat(32)] }],
] as const) {
  test(`${what} that arrives late does not replace what was written since`, async (t) => {
    const { direct, completed, lose, arrive } = await lateComplete(t, conditions)
    lose()
    await put(direct, 'k', 'newer')
    arrive()
    await rejectsAs(completed, 'busy')
    assert.equal(await getText(direct, 'k'), 'newer')
  })

  test(`${what} replaces what was written while it had the right to`, async (t) => {
    const { direct, completed, arrive } = await lateComplete(t, conditions)
    await put(direct, 'k', 'newer')
    arrive()
    assert.equal((await completed)?.size, 1_000)
    assert.equal((await direct.head('alpha', 'k'))?.size, 1_000)
  })
}
