import {
  CreateMultipartUploadCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { demoKeys, publicHost } from './demo-gateway.ts'

const partBytes = 16 * 1024 * 1024
const hourMs = 3_600_000

/** Requests that are rejected: a wrong clock, a wrong secret key, an unknown access key. */
const refusals = [
  { key: 'postgres/nightly 0015.bin', from: '192.168.1.31', systemClockOffset: 3 * hourMs },
  {
    key: 'laptop/data/0641.bin',
    from: '192.168.1.24',
    credentials: { ...demoKeys, secretAccessKey: 'mistyped' },
  },
  {
    key: 'laptop/data/0641.bin',
    from: '192.168.1.24',
    credentials: { ...demoKeys, accessKeyId: 'OLDACCESSKEY' },
  },
]

/** Failed requests and an open upload, for the overview. */
export async function seedTraffic(url: string): Promise<void> {
  for (const { key, from, ...config } of refusals) await beRefused(clientOf(url, config, from), key)
  await leaveUploadOpen(clientOf(url, {}, '192.168.1.40'))
}

function clientOf(url: string, config: S3ClientConfig, from: string): S3Client {
  const client = new S3Client({
    endpoint: url,
    region: 'eu-central-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: demoKeys,
    ...config,
  })
  client.middlewareStack.add(
    (next) => (given) => {
      const { headers } = given.request as { readonly headers: Record<string, string> }
      headers['x-forwarded-for'] = from
      headers.host = publicHost
      return next(given)
    },
    { step: 'build' },
  )
  return client
}

async function beRefused(client: S3Client, key: string): Promise<void> {
  try {
    await client.send(new PutObjectCommand({ Bucket: 'backups', Key: key, Body: 'demo' }))
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 403) return
    throw error
  } finally {
    client.destroy()
  }
  throw new Error(`${key} was not refused`)
}

async function leaveUploadOpen(client: S3Client): Promise<void> {
  const target = { Bucket: 'backups', Key: 'nas/weekly.tar.zst' }
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target))
  for (const PartNumber of [1, 2, 3]) {
    const part = { ...target, UploadId, PartNumber, Body: Buffer.alloc(partBytes) }
    await client.send(new UploadPartCommand(part))
  }
  client.destroy()
}
