import type { HttpReply } from '../../http/message.ts'
import type { ObjectContext } from '../context.ts'
import { uploadNameOf } from '../multipart/part-request.ts'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html */
export async function abortMultipartUpload(context: ObjectContext): Promise<HttpReply> {
  await context.service.uploads.abort(uploadNameOf(context), context.request.signal)
  return { status: 204, headers: [] }
}
