import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSettings } from '../settings/read-settings.ts'
import { createLog } from '../telemetry/log.ts'
import { openService } from './service.ts'
import { serve } from './serving.ts'

/** Options of {@link startBucketry}. */
export interface StartBucketryOptions {
  /** Buckets to serve. Default: `test`. */
  readonly buckets?: readonly string[]
  /** Buckets that anyone may read and list without a signature. Default: none. */
  readonly publicReadBuckets?: readonly string[]
  /** Default: `test-access-key`. */
  readonly accessKeyId?: string
  /** Default: `test-secret-key`. */
  readonly secretAccessKey?: string
  /** Default: `us-east-1`. */
  readonly region?: string
  /** Port to listen on. Default: a free one. */
  readonly port?: number
  /** Further settings, by their names in docs/configuration.md, such as `{ CORS_ALLOWED_ORIGINS: '*' }`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Called with each line of the log, a JSON document. Default: nothing is logged. */
  readonly onLogLine?: (line: string) => void
}

/** A running server that keeps its objects in memory. */
export interface BucketryServer {
  /** The endpoint for clients: `http://127.0.0.1:PORT`; with TLS_CERT and TLS_KEY, `https:`. */
  readonly url: string
  readonly port: number
  readonly region: string
  readonly buckets: readonly string[]
  /** In the form that the AWS SDK for JavaScript takes. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** Environment variables that AWS's tools and SDKs read, for child processes. */
  readonly environment: {
    readonly AWS_ACCESS_KEY_ID: string
    readonly AWS_SECRET_ACCESS_KEY: string
    readonly AWS_REGION: string
    readonly AWS_DEFAULT_REGION: string
    readonly AWS_ENDPOINT_URL_S3: string
  }
  /** Removes all objects, with their versions, and open uploads. */
  reset(): Promise<void>
  /** Stops the server. Running requests may finish. A second call has no effect. */
  stop(): Promise<void>
  /** Same as `stop`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

const defaults = {
  buckets: ['test'],
  accessKeyId: 'test-access-key',
  secretAccessKey: 'test-secret-key',
  region: 'us-east-1',
} as const

/** Prefix of the temporary folders. A server that is never stopped leaves its folder behind. */
const folderPrefix = 'bucketry-test-'

/**
 * Starts a server inside this process, for tests: objects are in memory, and nothing remains after `stop`.
 *
 * @throws an error that names the setting, when an option is not valid.
 */
export async function startBucketry(options: StartBucketryOptions = {}): Promise<BucketryServer> {
  const { buckets, accessKeyId, secretAccessKey, region } = withDefaults(options)
  // The database needs a file, because two threads share it. It stores the open uploads.
  const folder = await mkdtemp(join(tmpdir(), folderPrefix))
  try {
    const settings = await readSettings({
      HOST: '127.0.0.1',
      PORT: String(options.port ?? 0),
      PUBLIC_READ_BUCKETS: (options.publicReadBuckets ?? []).join(','),
      LOG_LEVEL: options.onLogLine === undefined ? 'silent' : 'info',
      ...options.settings,
      ACCESS_KEY: accessKeyId,
      SECRET_KEY: secretAccessKey,
      REGION: region,
      ALLOWED_BUCKETS: buckets.join(','),
      DRIVE: 'memory:',
      DATA_DIR: folder,
    })
    const log = createLog(settings.logLevel, { write: options.onLogLine ?? (() => undefined) })
    const service = await openService(settings, log, {
      kind: 'primary',
      onDriveLost: () => undefined,
    })
    const serving = await service
      .makeDefaultBuckets()
      .then(() => serve({ settings, log, service }))
      .catch(async (error: unknown) => {
        await service.close()
        throw error
      })
    const url = `${settings.tlsCert === undefined ? 'http' : 'https'}://127.0.0.1:${serving.port}`
    let stopping: Promise<void> | undefined
    const stop = () => {
      stopping ??= (async () => {
        await serving.stop()
        await service.close()
        await rm(folder, { recursive: true, force: true })
      })()
      return stopping
    }
    return {
      ...{ url, port: serving.port, region, buckets, stop },
      credentials: { accessKeyId, secretAccessKey },
      environment: {
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
        AWS_REGION: region,
        AWS_DEFAULT_REGION: region,
        AWS_ENDPOINT_URL_S3: url,
      },
      reset: () => service.reset(),
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** Ignores undefined values: a caller without types may pass an environment variable that is not set. */
function withDefaults({
  buckets = defaults.buckets,
  accessKeyId = defaults.accessKeyId,
  secretAccessKey = defaults.secretAccessKey,
  region = defaults.region,
}: StartBucketryOptions) {
  return { buckets, accessKeyId, secretAccessKey, region }
}
