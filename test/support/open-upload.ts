import type { Server } from './signed-fetch.ts'
import { answer } from './wire-case.ts'

/** Begins a multipart upload. Resolves with its ID. */
export async function beginUpload(server: Server, target: string): Promise<string> {
  const { xml } = await answer(server, {
    ...{ title: '', method: 'POST', target: `${target}?uploads`, status: 200 },
  })
  const { UploadId } = xml.InitiateMultipartUploadResult as { readonly UploadId: string }
  return UploadId
}
