import { createHash } from 'node:crypto'
import type { Server } from '../support/signed-fetch.ts'
import { md5Of, testBytes } from '../support/test-bytes.ts'
import { type BelievedStore, type OpenUpload, send, textOf, versionIn } from './store.ts'
import { putObject } from './writes.ts'

/** Begins an upload of these parts; it is open in `store` from the reply on. */
export async function beginUpload(
  server: Server,
  store: BelievedStore,
  target: { readonly key: string; readonly partSizes: readonly number[] },
): Promise<OpenUpload> {
  const { key, partSizes } = target
  const { id, seed, size } = store.nextVersion(
    partSizes.reduce((sum, partSize) => sum + partSize, 0),
  )
  const headers = { 'x-amz-meta-version': id, 'content-type': 'application/x-crash' }
  const { body } = await send(server, { method: 'POST', key, query: 'uploads=', headers })
  const uploadId = textOf(body.toString(), 'UploadId')
  const etag = completeEtag(partsOf(seed, partSizes))
  const upload = {
    key,
    uploadId,
    version: { id, seed, size, etag },
    partSizes,
    acknowledgedParts: 0,
    unanswered: undefined,
  }
  store.openUploads.add(upload)
  return upload
}

/** Sends the parts not yet acknowledged, then Complete. */
export async function finishUpload(
  server: Server,
  store: BelievedStore,
  upload: OpenUpload,
): Promise<void> {
  const { key, uploadId, version } = upload
  const parts = partsOf(version.seed, upload.partSizes)
  while (upload.acknowledgedParts < parts.length) {
    const query = `partNumber=${upload.acknowledgedParts + 1}&uploadId=${uploadId}`
    const body = parts[upload.acknowledgedParts] ?? Buffer.alloc(0)
    await send(server, { method: 'PUT', key, query, body })
    upload.acknowledgedParts++
  }
  upload.unanswered?.fail()
  const write = store.begin(key, version)
  upload.unanswered = write
  const body = completionBody(parts)
  const reply = await send(server, { method: 'POST', key, query: `uploadId=${uploadId}`, body })
  write.acknowledge(versionIn(reply))
  store.openUploads.delete(upload)
}

/**
 * Does something newer with the key instead of finishing the upload. After this is sent, a Complete
 * without a reply must no longer take effect.
 */
export async function overtakeUpload(
  server: Server,
  store: BelievedStore,
  upload: OpenUpload,
): Promise<void> {
  const { key, uploadId } = upload
  upload.unanswered?.fail()
  await putObject({ server, store }, key, 1000)
  store.openUploads.delete(upload)
  const query = `uploadId=${uploadId}`
  await send(server, { method: 'DELETE', key, query, expected: [204, 404] })
}

/** Every acknowledged part must be listed as it was sent. An interrupted part may be listed too. */
export async function verifyParts(server: Server, upload: OpenUpload): Promise<string[]> {
  const { key, uploadId, version, acknowledgedParts } = upload
  // 404: Complete had been sent, and was carried out before the crash.
  const request = { method: 'GET', key, query: `uploadId=${uploadId}`, expected: [200, 404] }
  const { status, body } = await send(server, request)
  const parts = partsOf(version.seed, upload.partSizes)
  if (status === 404) {
    return acknowledgedParts === parts.length
      ? []
      : [`upload of ${key}: lost in part ${acknowledgedParts + 1}`]
  }
  const listed = [...body.toString().matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => part)
  const problems = parts.slice(0, acknowledgedParts).flatMap((bytes, index) => {
    const part = listed[index] ?? ''
    const isThere = part.includes(md5Of(bytes)) && textOf(part, 'Size') === String(bytes.length)
    return isThere ? [] : [`upload of ${key}: part ${index + 1} was acknowledged, listed: ${part}`]
  })
  return listed.length <= acknowledgedParts + 1
    ? problems
    : [...problems, `upload of ${key}: parts never sent are listed`]
}

function partsOf(seed: string, partSizes: readonly number[]): Buffer<ArrayBuffer>[] {
  const bytes = testBytes(
    seed,
    partSizes.reduce((sum, size) => sum + size, 0),
  )
  let offset = 0
  return partSizes.map((size) => {
    offset += size
    return bytes.subarray(offset - size, offset)
  })
}

function completeEtag(parts: readonly Buffer[]): string {
  const digests = parts.map((part) => createHash('md5').update(part).digest())
  return `${md5Of(Buffer.concat(digests))}-${parts.length}`
}

function completionBody(parts: readonly Buffer[]): string {
  const list = parts.map(
    (part, index) =>
      `<Part><PartNumber>${index + 1}</PartNumber><ETag>"${md5Of(part)}"</ETag></Part>`,
  )
  return `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`
}
