import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Draft, PartDraft } from '../../../src/storage/drives/drive.ts'
import { assertNoLeftovers, type DriveSuite } from './drive-suite.ts'
import { attributesOf, bucket, bytesOf, get, getText, put, rejectsAs } from './stored-object.ts'
import { UploadSession } from './upload-session.ts'
import { assertCompletes } from './uploads.ts'

const mib = 1024 * 1024
const small = { capacityBytes: 8 * mib }

/** Writes more than fits on a small drive. */
async function writeTooMuch(draft: Draft | PartDraft): Promise<void> {
  const chunk = bytesOf(mib)
  for (let index = 0; index < 20; index++) await draft.write(chunk)
}

export function fullDriveCases(suite: DriveSuite): void {
  describe('a full drive', () => {
    const it = suite.itIfAble.bind(suite, 'capacity')

    it(
      'refuses what does not fit as `full`, and keeps the existing object',
      async (under) => {
        const { drive } = under
        await put(drive, 'k', 'old')
        for (const key of ['k', 'new/k']) {
          const draft = await drive.draft(bucket, key, {})
          const write = async () => {
            await writeTooMuch(draft)
            await draft.publish(attributesOf(Buffer.alloc(0)))
          }
          await rejectsAs(write(), 'full')
          await draft.discard()
        }
        assert.equal(await getText(drive, 'k'), 'old')
        assert.equal(await drive.head(bucket, 'new/k'), undefined)
        await assertNoLeftovers(under)
        const fits = bytesOf(2 * mib)
        await put(drive, 'k', fits)
        assert.ok((await get(drive, 'k'))?.equals(fits), 'there is room again')
      },
      small,
    )

    it(
      'refuses a part that does not fit, and keeps the upload',
      async (under) => {
        const session = await UploadSession.begin(under.drive)
        await session.append(bytesOf(mib, 1))
        const part = await session.startAppend(20 * mib)
        const write = async () => {
          await writeTooMuch(part)
          await part.commit()
        }
        await rejectsAs(write(), 'full')
        await part.discard()
        await session.append(bytesOf(mib, 2))
        await assertCompletes(session, under.drive)
        await assertNoLeftovers(under)
      },
      small,
    )
  })
}
