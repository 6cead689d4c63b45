import type { HttpReply } from '../../../platform/http/message.ts'
import { uploadChecksum } from '../checksums/checksum-headers.ts'
import type { ObjectContext } from '../context.ts'
import { attributesFromHeaders } from '../headers/object-headers.ts'
import { refuseWhatCannotBeKept } from '../headers/unsupported-headers.ts'
import { xmlReply } from '../reply/xml-reply.ts'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html */
export async function createMultipartUpload(context: ObjectContext): Promise<HttpReply> {
  const { service, request, bucket, key } = context
  const { headers } = request
  refuseWhatCannotBeKept(context)
  const checksum = uploadChecksum(headers)
  const details = { ...attributesFromHeaders(headers), checksum }
  const uploadId = await service.uploads.create({ bucket, key }, details)
  return xmlReply(
    'InitiateMultipartUploadResult',
    { Bucket: bucket, Key: key, UploadId: uploadId },
    checksum === undefined
      ? []
      : [
          ['x-amz-checksum-algorithm', checksum.algorithm],
          ['x-amz-checksum-type', checksum.type],
        ],
  )
}
