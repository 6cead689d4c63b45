import { describe } from 'node:test'
import { assertNoLeftovers, type DriveSuite } from './drive-suite.ts'
import { bytesOf, writeChunks } from './stored-object.ts'
import { UploadSession } from './upload-session.ts'
import { assertCompletes } from './uploads.ts'

const one = bytesOf(200_000, 1)
const two = bytesOf(100_000, 2)
const others = [
  ['shorter', bytesOf(70_001, 4)],
  ['longer', bytesOf(300_007, 5)],
  ['as long', bytesOf(100_000, 6)],
  ['empty', Buffer.alloc(0)],
] as const

export function replacedPartCases(suite: DriveSuite): void {
  if (!suite.can('smallParts')) return
  describe('replaceLast', () => {
    const it = suite.itIfAble.bind(suite, 'replaceLast')

    for (const [name, other] of others) {
      it(`puts other bytes (${name}) in place of the last part`, async (under) => {
        const { drive } = under
        const session = await UploadSession.begin(drive)
        await session.append(one)
        await session.append(two)
        await session.replaceLast(other)
        await assertCompletes(session, drive)
        await assertNoLeftovers(under)
      })

      it(`(${name}) may be followed by parts and by another`, async (under) => {
        const { drive } = under
        const session = await UploadSession.begin(drive)
        await session.append(two)
        await session.replaceLast(other)
        await session.append(one)
        await session.append(two)
        await session.replaceLast(one)
        await session.replaceLast(other)
        await session.append(two)
        await assertCompletes(session, drive)
        await assertNoLeftovers(under)
      })

      it(`(${name}) whose state was never stored loses neither part`, async (under) => {
        const { drive } = under
        for (const isAppendedTo of [true, false]) {
          const session = await UploadSession.begin(drive)
          await session.append(one)
          await session.append(two)
          await session.replaceLastWithoutStoring(other)
          if (isAppendedTo) await session.append(two)
          await assertCompletes(session, drive)
        }
        await assertNoLeftovers(under)
      })

      it(`(${name}) survives an append whose state was never stored`, async (under) => {
        const { drive } = under
        const session = await UploadSession.begin(drive)
        await session.append(one)
        await session.append(two)
        await session.replaceLast(other)
        await session.appendWithoutStoring(bytesOf(50_000, 9))
        await session.append(one)
        await session.replaceLast(other)
        await session.replaceLastWithoutStoring(bytesOf(50_000, 9))
        await assertCompletes(session, drive)
        await assertNoLeftovers(under)
      })
    }

    it('leaves the existing part when it is discarded', async (under) => {
      const { drive } = under
      const session = await UploadSession.begin(drive)
      await session.append(one)
      await session.append(two)
      const part = await session.startReplaceLast(300_000)
      await writeChunks(part, bytesOf(250_000, 9))
      await part.discard()
      await session.append(two)
      await assertCompletes(session, drive)
      await assertNoLeftovers(under)
    })

    it('leaves nothing when the upload is aborted', async (under) => {
      const session = await UploadSession.begin(under.drive)
      await session.append(one)
      await session.replaceLast(two)
      await session.abort()
      await assertNoLeftovers(under)
    })
  })
}
