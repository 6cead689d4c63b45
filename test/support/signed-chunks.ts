import { createHash, createHmac } from 'node:crypto'
import { type Credentials, type RequestToSign, signHeaders } from './signed-request.ts'

interface ChunkedRequest extends RequestToSign {
  readonly chunks: readonly string[]
  /** Signed after the final chunk: the payload is that of STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER. */
  readonly trailer?: readonly [name: string, value: string]
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/**
 * The headers and the body of an upload with signed chunks, by a signer that shares no code with src/storage/s3/sigv4
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html).
 */
export function signChunks(
  { chunks, trailer, ...request }: ChunkedRequest,
  credentials: Credentials,
) {
  const length = chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0)
  const hash = `STREAMING-AWS4-HMAC-SHA256-PAYLOAD${trailer === undefined ? '' : '-TRAILER'}`
  const { host: _, ...headers } = signHeaders(
    {
      ...request,
      headers: {
        ...request.headers,
        'x-amz-content-sha256': hash,
        'x-amz-decoded-content-length': String(length),
        ...(trailer && { 'x-amz-trailer': trailer[0] }),
      },
    },
    credentials,
  )
  const date = headers['x-amz-date'] ?? ''
  const scope = [date.slice(0, 8), credentials.region, 's3', 'aws4_request']
  const key = scope.reduce(
    (before: string | Buffer, part) => createHmac('sha256', before).update(part).digest(),
    `AWS4${credentials.secretKey}`,
  )
  let previous = headers.authorization?.slice(-64) ?? ''
  const sign = (kind: string, digests: string) => {
    const text = [`AWS4-HMAC-SHA256-${kind}`, date, scope.join('/'), previous, digests].join('\n')
    previous = createHmac('sha256', key).update(text).digest('hex')
    return previous
  }
  const framed = [...chunks, ''].map((chunk) => {
    const signature = sign('PAYLOAD', `${sha256('')}\n${sha256(chunk)}`)
    const data = chunk === '' ? '' : `${chunk}\r\n`
    return `${Buffer.byteLength(chunk).toString(16)};chunk-signature=${signature}\r\n${data}`
  })
  const line = trailer?.join(':')
  const end =
    line === undefined
      ? ''
      : `${line}\r\nx-amz-trailer-signature:${sign('TRAILER', sha256(`${line}\n`))}\r\n`
  return { headers, body: `${framed.join('')}${end}\r\n` }
}
