import type { Draft, DraftOptions } from '../../drive.ts'
import { endingDraft } from '../../kit/uploads/upload-rules.ts'
import { md5OfEtag } from '../client/arrivals.ts'
import { DavFileWriter } from './dav-file-writer.ts'
import type { PublishingContext } from './dav-publisher.ts'
import { UnconfirmedMove } from './file-mover.ts'
import type { DavObjectPath } from './object-path.ts'
import { requireArrived } from './written-file.ts'

/** A new object: a file in the drive's own folder that is moved into place when it is complete. */
export function davDraft(
  { server, own, spool, publisher }: PublishingContext,
  object: DavObjectPath,
  { size, signal }: DraftOptions,
): Draft {
  const path = own.newPath()
  const writer = new DavFileWriter({ server, own, path, size, signal, spool })
  let isUnconfirmed = false
  return endingDraft({
    write: (chunk) => writer.write(chunk),
    async publish(attributes, conditions) {
      try {
        await writer.finish()
        const md5 = md5OfEtag(attributes.etag)
        const entry = await requireArrived(server, path, { size: writer.size, md5 })
        return await publisher.publish({ object, path, entry, attributes, conditions })
      } catch (error) {
        isUnconfirmed = error instanceof UnconfirmedMove
        throw error
      }
    },
    async discard() {
      if (isUnconfirmed) return
      await writer.abort()
      if (writer.hasSent) await own.discard(path)
    },
  })
}
