import { createHash, createHmac } from 'node:crypto'

/**
 * A separate signer for requests that no SDK would form: raw paths, odd bytes, wrong on purpose.
 * It shares no code with src/storage/s3/sigv4, so that one mistake can't hide in both.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export interface Credentials {
  readonly accessKey: string
  readonly secretKey: string
  readonly region: string
}

export interface RequestToSign {
  readonly method: string
  /** As sent, with its escapes. A query follows the first `?`. */
  readonly target: string
  /** Value of the Host header. */
  readonly host: string
  /** Lower-case names; all of them are signed. */
  readonly headers?: Readonly<Record<string, string>>
  /** Wall clock of the signature, milliseconds since the epoch; now by default. */
  readonly signedAtMs?: number
}

/** All headers of the request, `host` first and `authorization` last. */
export function signHeaders(
  request: RequestToSign,
  credentials: Credentials,
): Record<string, string> {
  const date = amzDate(request.signedAtMs)
  const headers: Record<string, string> = {
    host: request.host,
    'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
    // As boto3: a Date that is given takes the place of x-amz-date.
    ...(request.headers?.date === undefined && { 'x-amz-date': date }),
    ...request.headers,
  }
  const { path, query } = splitTarget(request.target)
  const signedNames = Object.keys(headers).sort()
  const canonicalRequest = [
    request.method,
    path,
    canonicalQuery(query),
    ...signedNames.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    signedNames.join(';'),
    headers['x-amz-content-sha256'],
  ].join('\n')
  const scope = `${date.slice(0, 8)}/${credentials.region}/s3/aws4_request`
  const signature = signText(canonicalRequest, date, credentials)
  headers.authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKey}/${scope}, SignedHeaders=${signedNames.join(';')}, Signature=${signature}`
  return headers
}

/** The target with the query parameters of a presigned request; only the host is signed. */
export function presignTarget(
  request: RequestToSign & { readonly expiresSeconds: number | string },
  credentials: Credentials,
): string {
  const date = amzDate(request.signedAtMs)
  const scope = `${date.slice(0, 8)}/${credentials.region}/s3/aws4_request`
  const { path, query } = splitTarget(request.target)
  const parameters = [
    ...(query === '' ? [] : [query]),
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    `X-Amz-Credential=${encodeURIComponent(`${credentials.accessKey}/${scope}`)}`,
    `X-Amz-Date=${date}`,
    `X-Amz-Expires=${request.expiresSeconds}`,
    'X-Amz-SignedHeaders=host',
  ].join('&')
  const canonicalRequest = [
    request.method,
    path,
    canonicalQuery(parameters),
    `host:${request.host}`,
    '',
    'host',
    'UNSIGNED-PAYLOAD',
  ].join('\n')
  const signature = signText(canonicalRequest, date, credentials)
  return `${path}?${parameters}&X-Amz-Signature=${signature}`
}

/** The signature of a canonical request, in whatever way that is written. */
export function signText(canonicalRequest: string, date: string, credentials: Credentials): string {
  const scope = `${date.slice(0, 8)}/${credentials.region}/s3/aws4_request`
  // latin1: one character of a raw target is one byte on the wire.
  const digest = createHash('sha256').update(canonicalRequest, 'latin1').digest('hex')
  const signingKey = [date.slice(0, 8), credentials.region, 's3', 'aws4_request'].reduce(
    (key: string | Buffer, part) => createHmac('sha256', key).update(part).digest(),
    `AWS4${credentials.secretKey}`,
  )
  const stringToSign = ['AWS4-HMAC-SHA256', date, scope, digest].join('\n')
  return createHmac('sha256', signingKey).update(stringToSign).digest('hex')
}

function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf('?')
  return mark < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

function canonicalQuery(query: string): string {
  const pairs = query.split('&').filter((pair) => pair !== '')
  // By name: `=` must not take part, for it is greater than the `-` that a name may go on with.
  return pairs
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`).replace('=', '\0'))
    .sort()
    .map((pair) => pair.replace('\0', '='))
    .join('&')
}

function amzDate(atMs = Date.now()): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}
