import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { Browser, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { type StubUpstream, startStub } from '../fakes/stub-upstream.ts'
import { absenceOfChromium, startChromium } from '../support/chromium.ts'
import { useContractGateway } from '../support/contract-gateway.ts'
import { testBucket as Bucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { signedFields } from '../support/post-form.ts'

const mebibyte = 1024 * 1024

/** What Uppy asks a backend to sign. */
interface SigningRequest {
  readonly method: string
  readonly key: string
  readonly uploadId?: string
  readonly partNumber?: number
  readonly contentType?: string
}

interface PageUpload {
  readonly name: string
  readonly size: number
  readonly options?: object
  readonly afterFirstPart?: 'pause' | 'cancel'
}

/** Uppy's plugin for S3 in a page of another origin, at its defaults (uppy-page.mjs). */
describe('Uppy in a browser', { skip: absenceOfChromium() }, () => {
  const gateway = useContractGateway({
    ...{ COMPATIBILITY: 'aws', CORS_ALLOWED_ORIGINS: '*', WORKERS: '1' },
  })
  let site: StubUpstream
  let browser: Browser | undefined
  let page: Page
  let client: S3Client
  /** The forms of the backend have these fields and conditions; undefined: it signs URLs. */
  let form: { mostBytes: number } | undefined
  const signed: SigningRequest[] = []

  before(async () => {
    browser = await startChromium()
    page = await browser.newPage()
    site = await startStub((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>App</title>')
    })
    const { accessKey, secretKey, region } = gateway().credentials
    const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey }
    client = new S3Client({ endpoint: gateway().url, region, credentials, forcePathStyle: true })
    await page.exposeFunction('signRequest', sign)
    await page.goto(site.origin)
    await page.addScriptTag({ content: await pageScript() })
  })
  after(async () => {
    await browser?.close()
    await site.close()
    client.destroy()
  })

  /** The backend of the application. */
  async function sign(request: SigningRequest): Promise<object> {
    signed.push(request)
    if (form !== undefined) return { url: `${gateway().url}/${Bucket}`, fields: formOf(request) }
    return { url: await presign(client, request) }
  }

  function formOf({ key, contentType = '' }: SigningRequest): object {
    const fields = [
      ['key', key],
      ['Content-Type', contentType],
    ] as const
    const exact = fields.map(([name, value]) => ({ [name]: value }))
    const conditions = [...exact, ['content-length-range', 1, form?.mostBytes]]
    return Object.fromEntries(
      signedFields({ bucket: Bucket, fields, conditions }, gateway().credentials),
    )
  }

  function upload(wanted: PageUpload): Promise<{ urls: string[]; errors: string[] }> {
    signed.length = 0
    const call = `uploadByUppy(${JSON.stringify({ options: {}, ...wanted })})`
    return page.evaluate(call)
  }

  async function assertStored(Key: string, size: number): Promise<void> {
    const { Body, ContentType } = await client.send(new GetObjectCommand({ Bucket, Key }))
    const content = Buffer.from((await Body?.transformToByteArray()) ?? [])
    const expected = new Uint8Array(size).map((_, index) => index * 7 + (index >> 8))
    assert.ok(content.equals(expected), `${content.length} bytes`)
    assert.equal(ContentType, 'text/plain')
  }

  test('a form with a policy', async (t) => {
    form = { mostBytes: 3 * mebibyte }
    t.after(() => {
      form = undefined
    })
    const name = 'form ä+b.txt'
    const { urls, errors } = await upload({ name, size: 3 * mebibyte })
    assert.deepEqual(errors, [])
    assert.equal((await fetch(String(urls[0]))).status, 403)
    assert.equal(decodeURIComponent(String(urls[0])), `${gateway().url}/${Bucket}/${name}`)
    await assertStored(name, 3 * mebibyte)
    const refused = await upload({ name: 'too-large.txt', size: 3 * mebibyte + 1 })
    assert.match(String(refused.errors[0]), /400 – EntityTooLarge/)
  })

  test('a presigned PUT', async () => {
    const name = 'put ä+b.txt'
    assert.deepEqual((await upload({ name, size: 70_000 })).errors, [])
    await assertStored(name, 70_000)
    assert.equal((await upload({ name: 'empty.txt', size: 0 })).errors.length, 0)
    await assertStored('empty.txt', 0)
  })

  test('parts with presigned URLs, with a pause', async () => {
    const name = 'parts ä+b.txt'
    const size = 12 * mebibyte + 5
    const options = { shouldUseMultipart: true }
    const { urls, errors } = await upload({ name, size, options, afterFirstPart: 'pause' })
    assert.deepEqual(errors, [])
    assert.equal(urls.length, 1)
    assert.ok(signed.some(({ method }) => method === 'GET'))
    await assertStored(name, size)
  })

  test('an upload that is cancelled leaves nothing', async () => {
    const wanted = { name: 'cancelled.txt', size: 12 * mebibyte }
    await upload({ ...wanted, options: { shouldUseMultipart: true }, afterFirstPart: 'cancel' })
    assert.ok(signed.some(({ method }) => method === 'POST'))
    await until(async () => {
      const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket }))
      return Uploads === undefined
    })
    assert.ok(signed.some(({ method }) => method === 'DELETE'))
  })

  test('the page signs by itself', async () => {
    const { accessKey, secretKey } = gateway().credentials
    const credentials = {
      credentials: { accessKeyId: accessKey, secretAccessKey: secretKey, sessionToken: '' },
      region: 'auto',
    }
    const options = { s3Endpoint: `${gateway().url}/${Bucket}`, credentials }
    const whole = await upload({ name: "own ä+b'(1).txt", size: 70_000, options })
    assert.deepEqual(whole.errors, [])
    await assertStored("own ä+b'(1).txt", 70_000)
    const size = 6 * mebibyte
    const inParts = { ...options, shouldUseMultipart: true }
    const { errors } = await upload({ name: 'own parts.txt', size, options: inParts })
    assert.deepEqual(errors, [])
    await assertStored('own parts.txt', size)
  })
})

/** Signs a request of Uppy, as a backend does with the SDK. */
function presign(client: S3Client, request: SigningRequest): Promise<string> {
  const { method, key, uploadId: UploadId, partNumber, contentType } = request
  const object = { Bucket, Key: key }
  if (UploadId === undefined) {
    if (method === 'POST') return getSignedUrl(client, new CreateMultipartUploadCommand(object))
    return getSignedUrl(client, new PutObjectCommand({ ...object, ContentType: contentType }))
  }
  const part = { ...object, UploadId }
  if (method === 'POST') return getSignedUrl(client, new CompleteMultipartUploadCommand(part))
  if (method === 'GET') return getSignedUrl(client, new ListPartsCommand(part))
  if (method === 'DELETE') return getSignedUrl(client, new AbortMultipartUploadCommand(part))
  return getSignedUrl(client, new UploadPartCommand({ ...part, PartNumber: partNumber }))
}

/** Uppy and the page's own script in one file. */
async function pageScript(): Promise<string> {
  const input = join(import.meta.dirname, 'uppy-page.mjs')
  const bundled = await rolldown({ input, platform: 'browser' })
  try {
    const { output } = await bundled.generate({ format: 'iife' })
    return output[0].code
  } finally {
    await bundled.close()
  }
}
