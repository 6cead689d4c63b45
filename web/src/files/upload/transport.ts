import { ownPath, presignAllOwn } from '../../api/client.ts'
import { DirectUpload } from './direct-upload.ts'
import type { Leftovers } from './leftovers.ts'
import { smallBytes } from './part-size.ts'
import type { UploadOrder, UploadTransport } from './upload-item.ts'
import { UploadSigner } from './upload-signer.ts'
import { UppyUpload, uploadUrlSeconds } from './uppy-upload.ts'

/** Sends small files with signatures that are fetched in batches, and all others through Uppy. */
export function createTransport(
  upcoming: (count: number) => readonly UploadOrder[],
  leftovers: Leftovers,
): UploadTransport {
  const isSmall = ({ file }: UploadOrder): boolean => file.size <= smallBytes
  const signer = new UploadSigner({
    sign: async (orders) => {
      const urls = await presignAllOwn(
        orders.map(({ bucket, key }) => ({
          ...{ method: 'PUT', bucket, key, expiresSeconds: uploadUrlSeconds },
        })),
      )
      return urls.map((url) => location.origin + ownPath(url))
    },
    upcoming: (count) => upcoming(count).filter(isSmall),
    now: () => performance.now(),
  })
  return {
    start: (order, events) =>
      isSmall(order)
        ? new DirectUpload(order, { events, signer })
        : new UppyUpload(order, events, leftovers),
  }
}
