import type { HttpReply } from '../../../platform/http/message.ts'
import { readSmallBody } from '../body/small-body.ts'
import { childText, parseXmlBody, type XmlElement } from '../body/xml-body.ts'
import { malformed, onlyChild } from '../configuration/document-elements.ts'
import type { BucketContext } from '../context.ts'
import { notImplemented } from '../errors.ts'

const maxBodyBytes = 64 * 1024

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketEncryption.html. AES256 changes nothing: with
 * SERVER_SIDE_ENCRYPTION=claim, it is the encryption of each bucket.
 *
 * @throws S3Error MalformedXML; NotImplemented for another encryption
 */
export async function putBucketEncryption({ request }: BucketContext): Promise<HttpReply> {
  const body = await readSmallBody(request, maxBodyBytes)
  const root = parseXmlBody(body, 'ServerSideEncryptionConfiguration')
  const rule = child(root, 'Rule')
  const algorithm = childText(child(rule, 'ApplyServerSideEncryptionByDefault'), 'SSEAlgorithm')
  if (algorithm === undefined) throw malformed('SSEAlgorithm is missing')
  if (algorithm.trim() !== 'AES256') {
    throw notImplemented('encryption other than AES256')
  }
  return { status: 200, headers: [['Content-Length', '0']] }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketEncryption.html. AES256 is also AWS's default. */
export async function deleteBucketEncryption(): Promise<HttpReply> {
  return { status: 204, headers: [] }
}

function child(parent: XmlElement, name: string): XmlElement {
  const found = onlyChild(parent, name)
  if (found === undefined) throw malformed(`${parent.name} has no ${name}`)
  return found
}
