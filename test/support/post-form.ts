import { createHmac, randomUUID } from 'node:crypto'
import type { SignedFetch } from './signed-fetch.ts'
import type { Credentials } from './signed-request.ts'

/** Stands for the name of the file. */
export const filenameVariable = '$'.concat('{filename}')

type Field = readonly [name: string, value: string]

/** What a site signs, and what a browser sends with it. */
export interface FormToPost {
  readonly bucket: string
  /** Of the object and of the reply: `key`, `acl` … In their order. */
  readonly fields: readonly Field[]
  /** Conditions beside the one of the bucket. Default: each field has its value. */
  readonly conditions?: readonly unknown[]
  /** Of the policy. Default: in a minute. */
  readonly expiration?: string
  /** Replaces the policy. */
  readonly policy?: string
  readonly version?: 2 | 4
  /** Wall clock of a signature of Version 4. */
  readonly signedAtMs?: number
  readonly file?: string | Uint8Array
  readonly filename?: string
}

/** A separate signer, which shares no code with src/storage/s3/form. Signature and policy come behind the other fields. */
export function signedFields(form: FormToPost, credentials: Credentials): Field[] {
  const { bucket, fields, version = 4, signedAtMs = Date.now() } = form
  const { accessKey, secretKey, region } = credentials
  const date = new Date(signedAtMs).toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = [date.slice(0, 8), region, 's3', 'aws4_request']
  const ofVersionFour: Field[] = [
    ['x-amz-algorithm', 'AWS4-HMAC-SHA256'],
    ['x-amz-credential', `${accessKey}/${scope.join('/')}`],
    ['x-amz-date', date],
  ]
  const claim = version === 4 ? ofVersionFour : []
  const document = {
    expiration: form.expiration ?? new Date(Date.now() + 60_000).toISOString(),
    conditions: [
      { bucket },
      ...(form.conditions ?? fields.map(([name, value]) => ({ [name]: value }))),
      ...claim.map(([name, value]) => ({ [name]: value })),
    ],
  }
  const policy = Buffer.from(form.policy ?? JSON.stringify(document)).toString('base64')
  if (version === 2) {
    const signature = createHmac('sha1', secretKey).update(policy).digest('base64')
    const own: Field[] = [
      ['AWSAccessKeyId', accessKey],
      ['policy', policy],
      ['signature', signature],
    ]
    return [...fields, ...own]
  }
  const key = scope.reduce(
    (secret: string | Buffer, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${secretKey}`,
  )
  const signature = createHmac('sha256', key).update(policy).digest('hex')
  return [...fields, ...claim, ['policy', policy], ['x-amz-signature', signature]]
}

/** The body of a form, as browsers write it. */
export function formBody(
  fields: readonly Field[],
  { file = 'bytes', filename = 'a b.txt' }: Pick<FormToPost, 'file' | 'filename'> = {},
  boundary = `----${randomUUID()}`,
): { readonly type: string; readonly body: Uint8Array<ArrayBuffer> } {
  const texts = fields.map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const head =
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\n` +
    'Content-Type: application/octet-stream\r\n\r\n'
  const body = Buffer.concat([
    Buffer.from(texts.join('') + head),
    Buffer.from(file),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  return { type: `multipart/form-data; boundary=${boundary}`, body: new Uint8Array(body) }
}

/** The request of a form. It has no signature of its own. */
export function formRequest(form: FormToPost, credentials: Credentials): SignedFetch {
  const { type, body } = formBody(signedFields(form, credentials), form)
  return { method: 'POST', target: `/${form.bucket}`, headers: { 'content-type': type }, body }
}
