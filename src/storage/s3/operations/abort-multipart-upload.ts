import type { HttpReply } from '../../../platform/http/message.ts'
import { bytesToGiveBack } from '../configuration/room.ts'
import type { ObjectContext } from '../context.ts'
import { uploadNameOf } from '../multipart/part-request.ts'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html */
export async function abortMultipartUpload(context: ObjectContext): Promise<HttpReply> {
  const { service, request, bucket } = context
  const name = uploadNameOf(context)
  const bytes = await bytesToGiveBack(context, name.uploadId)
  await service.uploads.abort(name, request.signal)
  service.usage.addedParts(bucket, -bytes)
  return { status: 204, headers: [] }
}
