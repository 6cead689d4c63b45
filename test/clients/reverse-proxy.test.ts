import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { Agent, request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { makeCertificate } from '../support/certificates.ts'
import { freePort } from '../support/free-port.ts'
import { filesBelow, startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import {
  absenceOfProxy,
  type ProxyName,
  type ReverseProxy,
  startReverseProxy,
} from '../support/reverse-proxy.ts'
import { signHeaders } from '../support/signed-request.ts'
import { sha256OfFile, writeTestFile } from '../support/test-bytes.ts'
import type { Endpoint } from './endpoint.ts'
import { absenceOf, runClient } from './run-client.ts'

const mebibyte = 1024 * 1024
/** What a proxy that decodes and encodes paths, or tidies them up, would change. */
const strangeKeys = [
  'a b+c%2Fd/ü?#&=~!*().txt',
  'a//b',
  'quote\'"<>[]{}|^`\\;:@,$',
  'dir/./x/../y',
  '%25/%2F/%00',
]

for (const name of ['nginx', 'caddy'] as const) {
  describe(`behind ${name}`, { skip: absenceOfProxy(name) }, () => {
    let behind: Behind | undefined
    before(async () => {
      behind = await startBehind(name)
    })
    after(() => behind?.stop())
    const proxied = (): Behind => {
      if (behind === undefined) throw new Error('the proxy did not start')
      return behind
    }
    itCarriesObjects(proxied)
    itDoesNotGetInTheWay(proxied)
  })
}

function itCarriesObjects(proxied: () => Behind): void {
  const aws = (...args: string[]) => proxied().aws(args)

  it('a PUT of 100 MiB arrives', { skip: absenceOf('/usr/bin/aws') }, async () => {
    const source = join(proxied().endpoint.workFolder, 'put.bin')
    await writeTestFile(source, 100 * mebibyte)
    await aws('s3api', 'put-object', '--bucket', testBucket, '--key', 'put.bin', '--body', source)
    const stored = join(proxied().endpoint.bucketFolder, 'put.bin')
    assert.equal(await sha256OfFile(stored), await sha256OfFile(source))
  })

  it('a multipart upload arrives', { skip: absenceOf('/usr/bin/aws') }, async () => {
    const source = join(proxied().endpoint.workFolder, 'parts.bin')
    await writeTestFile(source, 50 * mebibyte)
    await aws('s3', 'cp', '--no-progress', source, `s3://${testBucket}/parts.bin`)
    await aws('s3', 'cp', '--no-progress', `s3://${testBucket}/parts.bin`, `${source}.copy`)
    assert.equal(await sha256OfFile(`${source}.copy`), await sha256OfFile(source))
    const { ETag } = await proxied().sdk.send(
      new HeadObjectCommand({ Bucket: testBucket, Key: 'parts.bin' }),
    )
    assert.match(ETag ?? '', /-7"$/)
  })

  it('keys with special characters are stored, listed and read', async () => {
    const { sdk } = proxied()
    for (const Key of strangeKeys) {
      const object = { Bucket: testBucket, Key: `strange/${Key}` }
      await sdk.send(new PutObjectCommand({ ...object, Body: Key, Metadata: { name_of: 'x' } }))
      const got = await sdk.send(new GetObjectCommand(object))
      assert.equal(await got.Body?.transformToString(), Key)
      assert.deepEqual(got.Metadata, { name_of: 'x' })
    }
    const { Contents = [] } = await sdk.send(
      new ListObjectsV2Command({ Bucket: testBucket, Prefix: 'strange/' }),
    )
    const expected = strangeKeys.map((key) => `strange/${key}`)
    assert.deepEqual(Contents.map(({ Key }) => Key).sort(), expected.sort())
  })
}

function itDoesNotGetInTheWay(proxied: () => Behind): void {
  it('an upload is not buffered', { timeout: 30_000 }, async () => {
    const { endpoint } = proxied()
    const upload = startUpload(proxied(), 2 * mebibyte)
    upload.write(Buffer.alloc(mebibyte))
    const temporary = join(endpoint.gateway.driveFolder, '.bucketry')
    // A proxy that buffers never passes the first half on.
    while (!filesBelow(temporary).some((path) => sizeOf(path) >= mebibyte)) await wait(20)
    upload.end(Buffer.alloc(mebibyte))
    assert.equal(await upload.status, 200)
  })

  it('an object is not compressed, so that its ETag stays', async () => {
    const object = { Bucket: testBucket, Key: 'page.html' }
    const Body = '<p>'.repeat(10_000)
    const put = await proxied().sdk.send(
      new PutObjectCommand({ ...object, Body, ContentType: 'text/html' }),
    )
    const got = await proxied().fetch(`/${testBucket}/page.html`, { 'accept-encoding': 'gzip' })
    assert.equal(got.headers.etag, put.ETag)
    assert.equal(got.headers['content-encoding'], undefined)
    assert.equal(got.headers['content-length'], String(Body.length))
  })

  it('the log has the address of the client', { timeout: 30_000 }, async () => {
    await proxied().fetch(`/${testBucket}/page.html`, { 'x-forwarded-for': '192.0.2.7' })
    const { gateway } = proxied().endpoint
    const expected = `"remoteAddress":"${proxied().shownAddress}"`
    while (!gateway.logs().includes(expected)) await wait(20)
    assert.doesNotMatch(gateway.logs(), /TRUST_PROXY/)
  })
}

interface Behind {
  readonly endpoint: Endpoint
  readonly sdk: S3Client
  aws(args: readonly string[]): Promise<string>
  /** A signed GET through the proxy. */
  fetch(target: string, headers: Readonly<Record<string, string>>): Promise<Reply>
  readonly host: string
  readonly agent: Agent
  /** The client's address in the log, if the client claims 192.0.2.7: Caddy believes no client. */
  readonly shownAddress: string
  stop(): Promise<void>
}

interface Reply {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

async function startBehind(name: ProxyName): Promise<Behind> {
  const folder = mkdtempSync(join(tmpdir(), `bucketry-behind-${name}-`))
  const [proxyFolder, workFolder] = [join(folder, 'proxy'), join(folder, 'work')]
  for (const path of [proxyFolder, workFolder]) mkdirSync(path)
  const certificate = makeCertificate(folder, ['DNS:localhost'])
  const port = await freePort()
  const host = `localhost:${port}`
  const url = `https://${host}`
  const settings = { TRUST_PROXY: '127.0.0.1', PUBLIC_URL: url }
  const gateway = await startGatewayProcess({ folder, settings })
  const place = { folder: proxyFolder, port, certificate }
  let proxy: ReverseProxy | undefined
  try {
    proxy = await startReverseProxy(name, place, gateway.port)
  } catch (error) {
    await gateway.kill()
    throw error
  }
  const agent = new Agent({ ca: readFileSync(certificate.caFile), keepAlive: true })
  const { accessKey: accessKeyId, secretKey: secretAccessKey, region } = gateway.credentials
  const endpoint: Endpoint = {
    ...{ gateway, scheme: 'https', workFolder, caFile: certificate.caFile },
    bucketFolder: join(gateway.driveFolder, testBucket),
  }
  const behind: Omit<Behind, 'fetch'> = {
    ...{ endpoint, host, agent },
    shownAddress: name === 'nginx' ? '192.0.2.7' : '127.0.0.1',
    sdk: new S3Client({
      ...{ endpoint: url, region, forcePathStyle: true, maxAttempts: 1 },
      credentials: { accessKeyId, secretAccessKey },
      requestHandler: { httpsAgent: agent },
    }),
    aws: (args) => runAws(endpoint, url, args),
    async stop() {
      agent.destroy()
      await proxy.stop()
      await gateway.kill()
      rmSync(folder, { recursive: true })
    },
  }
  return { ...behind, fetch: (target, headers) => signedGet(behind, target, headers) }
}

function runAws(endpoint: Endpoint, url: string, args: readonly string[]): Promise<string> {
  const { accessKey, secretKey, region } = endpoint.gateway.credentials
  return runClient(endpoint, {
    program: '/usr/bin/aws',
    args: ['--endpoint-url', url, ...args],
    environment: {
      AWS_ACCESS_KEY_ID: accessKey,
      AWS_SECRET_ACCESS_KEY: secretKey,
      AWS_DEFAULT_REGION: region,
      AWS_CA_BUNDLE: endpoint.caFile ?? '',
    },
  })
}

type Target = Pick<Behind, 'endpoint' | 'host' | 'agent'>

function signedGet(
  { endpoint, host, agent }: Target,
  target: string,
  extra: Readonly<Record<string, string>>,
): Promise<Reply> {
  const signed = signHeaders({ method: 'GET', target, host }, endpoint.gateway.credentials)
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      `https://${host}${target}`,
      { agent, headers: { ...signed, ...extra } },
      (response) => {
        response.resume()
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers }),
        )
      },
    )
    request.on('error', reject)
    request.end()
  })
}

/** A PUT that is sent bit by bit. */
function startUpload({ endpoint, host, agent }: Target, length: number) {
  const target = `/${testBucket}/slow.bin`
  const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }
  const signed = signHeaders({ method: 'PUT', target, host, headers }, endpoint.gateway.credentials)
  const request = httpsRequest(`https://${host}${target}`, {
    ...{ agent, method: 'PUT' },
    headers: { ...signed, 'content-length': length },
  })
  const status = new Promise<number | undefined>((resolve, reject) => {
    request.on('response', (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('error', reject)
  })
  return Object.assign(request, { status })
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
