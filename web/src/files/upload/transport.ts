import { DirectUpload } from './direct-upload.ts'
import type { Leftovers } from './leftovers.ts'
import { smallBytes } from './part-size.ts'
import type { UploadTransport } from './upload-item.ts'
import { UppyUpload } from './uppy-upload.ts'

/** Sends small files in one request each, and all others through Uppy. */
export function createTransport(leftovers: Leftovers): UploadTransport {
  return {
    start: (order, events) =>
      order.file.size <= smallBytes
        ? new DirectUpload(order, events)
        : new UppyUpload(order, events, leftovers),
  }
}
