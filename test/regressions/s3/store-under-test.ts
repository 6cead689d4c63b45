import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { PutBucketVersioningCommand } from '@aws-sdk/client-s3'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import { openS3Drive, type S3DriveOptions } from '../../../src/storage/drives/s3/s3-drive.ts'
import type { Versioning } from '../../../src/storage/drives/versions.ts'
import { newFolder, openUploads, s3DriveOptions } from '../../contract/s3-drive-under-test.ts'
import { startCuttingProxy } from '../../support/cutting-proxy.ts'
import { startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { clientOf, type StoreLogin } from '../../support/s3/s3-store.ts'

/** A drive on a store, behind a proxy that breaks off one reply, and one on the same store without it. */
export interface CutDrive {
  readonly drive: Drive
  readonly direct: Drive
  /** Of `direct`. */
  readonly options: S3DriveOptions
  /** The heads of the requests through the proxy. */
  readonly heads: readonly string[]
  /** The keys of uploads in the store that have not ended. */
  openUploads(): Promise<readonly string[]>
}

/**
 * @param cut the first request that matches gets so many bytes of its reply
 * @param versioning of the drive's bucket and of the store's
 */
export async function openCutDrive(
  t: TestContext,
  cut: { readonly request: RegExp; readonly bytes: number },
  versioning?: Versioning,
): Promise<CutDrive> {
  const store = await startGatewayInProcess(t, { COMPATIBILITY: 'aws' })
  if (versioning !== undefined) await enableVersions({ ...store, ...store.credentials })
  const proxy = await startCuttingProxy(store.port, cut)
  t.after(() => proxy.close())
  const path = newFolder(store.bucket)
  const optionsFor = async (url: string) => ({
    ...(await s3DriveOptions(t, { url, path, ...store.credentials })),
    versioningOf: () => versioning,
  })
  const open = async (given: S3DriveOptions) => {
    const drive = await openS3Drive(given)
    t.after(() => drive.close())
    await drive.prepare(['alpha'])
    return drive
  }
  const drive = await open(await optionsFor(`http://127.0.0.1:${proxy.port}`))
  const options = await optionsFor(store.url)
  return {
    ...{ drive, options, direct: await open(options), heads: proxy.heads },
    openUploads: () => openUploads(options),
  }
}

async function enableVersions({
  bucket: Bucket,
  ...login
}: StoreLogin & { readonly bucket: string }): Promise<void> {
  const client = clientOf(login)
  const VersioningConfiguration = { Status: 'Enabled' as const }
  await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
  client.destroy()
}

/** A drive on a server that answers as it likes. @param path of its buckets, or nothing: they are the server's */
export async function openDriveOn(
  t: TestContext,
  answer: RequestListener,
  path = '/bucket',
): Promise<Drive> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const options = await s3DriveOptions(t, {
    url: `http://127.0.0.1:${port}`,
    ...{ path, accessKey: 'me', secretKey: 'secret' },
  })
  const drive = await openS3Drive(options)
  t.after(() => drive.close())
  return drive
}

/** An error document of S3. */
export function errorDocument(code: string, message: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`
}

const emptyList = '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>'

/** Answers the listing at the start, and everything else with `answer`. */
export function behind(answer: RequestListener): RequestListener {
  return (request, response) => {
    request.on('error', () => undefined)
    if (request.url?.includes('list-type=2')) response.end(emptyList)
    else answer(request, response)
  }
}
