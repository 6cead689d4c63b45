import { join } from 'node:path'
import { bucketry, type ServerKind, serverKinds } from './server-kinds.ts'
import { type RunningServer, startServer } from './servers.ts'

/** A store, and gateways over it. */
export interface StoreWorld {
  readonly store: RunningServer
  /** All that is measured, the store first. */
  readonly subjects: ReadonlyMap<string, RunningServer>
  stop(): Promise<void>
}

/** The server that is the store. */
const storeName = 'minio'

/** Why the scenario can't run; undefined if it can. */
export function absenceOfStore(): string | undefined {
  return kindNamed(storeName).absence
}

/** Starts the store in a folder, and every installed gateway over it. */
export async function startStoreWorld(folder: string): Promise<StoreWorld> {
  const kind = kindNamed(storeName)
  const store = await startServer(kind, { folder: join(folder, 'store') })
  const subjects = new Map([[`${storeName} directly`, store]])
  const stop = async () => {
    for (const server of [...subjects.values()].reverse()) await server.stop()
  }
  try {
    for (const gateway of gatewaysOver(`http://127.0.0.1:${store.port}`, kind)) {
      if (gateway.absence !== undefined) continue
      const server = await startServer(gateway, { folder: join(folder, gateway.name) })
      subjects.set(gateway.name, server)
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { store, subjects, stop }
}

function gatewaysOver(url: string, { credentials }: ServerKind): readonly ServerKind[] {
  const { accessKey, secretKey } = credentials
  const [rclone, versitygw] = [kindNamed('rclone'), kindNamed('versitygw')]
  const remote = `:s3,provider=Minio,access_key_id=${accessKey},secret_access_key=${secretKey},endpoint='${url}':`
  return [
    {
      ...bucketry,
      environment: (options) => ({
        ...bucketry.environment?.(options),
        DRIVE: `s3+${url}`,
        S3_DRIVE_ACCESS_KEY: accessKey,
        S3_DRIVE_SECRET_KEY: secretKey,
      }),
    },
    {
      ...rclone,
      // The bucket is there.
      doesMakeBucket: false,
      command: (options) => [...rclone.command(options).slice(0, -1), remote],
    },
    {
      ...versitygw,
      doesMakeBucket: false,
      command: (options) => [
        ...versitygw.command(options).slice(0, -2),
        ...['s3', '--endpoint', url, '--access', accessKey, '--secret', secretKey],
        ...['--use-path-style', '--disable-data-integrity-check'],
      ],
      // It can't use one, and does not start with one.
      environment: (options) => ({ ...versitygw.environment?.(options), AWS_CA_BUNDLE: '' }),
    },
  ]
}

function kindNamed(name: string): ServerKind {
  const found = serverKinds.find((kind) => kind.name === name)
  if (found === undefined) throw new Error(`no server is called ${name}`)
  return found
}
