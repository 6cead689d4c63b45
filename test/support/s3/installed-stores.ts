import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../free-port.ts'
import type { Scope } from '../webdav/server-process.ts'
import { lastFirst } from '../webdav/suite-scope.ts'
import { removeBuckets, type S3Store, type StoreLogin } from './s3-store.ts'
import { morePorts, seaweedArguments } from './seaweed.ts'
import { folderFor, startProcess, untilServing } from './server-program.ts'

const run = promisify(execFile)
// Garage takes no others than such.
const accessKey = 'GK0123456789abcdef01234567'
const secretKey = '0123456789abcdef'.repeat(4)

interface Place {
  readonly folder: string
  readonly port: number
  /** Further ports. */
  readonly others: readonly number[]
}

/** A store of one program. */
interface Installed {
  readonly program: string
  readonly region?: string
  /** Its arguments. Writes what it needs into the folder. */
  prepare(place: Place): readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** What must be done when it runs. */
  begin?(place: Place): Promise<void>
}

/** Stores that are started if their program is on PATH (CONTRIBUTING.md, "Run the drive's tests on other S3 stores"). */
const installed = {
  MinIO: {
    program: 'minio',
    prepare: ({ folder, port }) => [
      ...['server', '--quiet', '--address', `127.0.0.1:${port}`],
      join(folder, 'data'),
    ],
    environment: { MINIO_ROOT_USER: accessKey, MINIO_ROOT_PASSWORD: secretKey },
  },
  versitygw: {
    program: 'versitygw',
    prepare({ folder, port }) {
      const data = join(folder, 'data')
      mkdirSync(data)
      return ['--keep-alive', '--port', `127.0.0.1:${port}`, 'posix', data]
    },
    environment: { ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey },
  },
  SeaweedFS: {
    program: 'weed',
    prepare: (place) => seaweedArguments({ ...place, address: '127.0.0.1', accessKey, secretKey }),
  },
  Garage: {
    program: 'garage',
    region: 'garage',
    prepare({ folder, port, others: [rpcPort] }) {
      const lines = [
        ...[`metadata_dir = "${folder}/meta"`, `data_dir = "${folder}/data"`],
        ...['db_engine = "sqlite"', 'replication_factor = 1'],
        ...[`rpc_bind_addr = "127.0.0.1:${rpcPort}"`, `rpc_public_addr = "127.0.0.1:${rpcPort}"`],
        `rpc_secret = "${secretKey}"`,
        ...['[s3_api]', 's3_region = "garage"', `api_bind_addr = "127.0.0.1:${port}"`],
      ]
      writeFileSync(join(folder, 'garage.toml'), `${lines.join('\n')}\n`)
      return ['-c', join(folder, 'garage.toml'), 'server', '--single-node', '--default-bucket']
    },
    environment: {
      GARAGE_DEFAULT_ACCESS_KEY: accessKey,
      GARAGE_DEFAULT_SECRET_KEY: secretKey,
      GARAGE_DEFAULT_BUCKET: 'first',
    },
    async begin({ folder }) {
      const call = ['-c', join(folder, 'garage.toml'), 'key', 'allow', '--create-bucket', accessKey]
      await run('garage', call)
    },
  },
} as const satisfies Record<string, Installed>

export type InstalledName = keyof typeof installed

export const installedNames = Object.keys(installed) as InstalledName[]

/** The one whose tests are wanted: CONTRIBUTING.md, "Run the drive's tests on other S3 stores". */
export const chosenStore = installedNames.find((name) => name === process.env.S3_STORE)

/** Starts one of the stores, which ends with the scope. */
export async function startInstalled(outer: Scope, name: InstalledName): Promise<S3Store> {
  const { program, region, prepare, environment, begin }: Installed = installed[name]
  const scope = lastFirst(outer)
  const folder = folderFor(scope, program)
  const place = { folder, port: await freePort(), others: await morePorts() }
  const server = startProcess(scope, folder, [program, ...prepare(place)], environment)
  const url = `http://127.0.0.1:${place.port}`
  const login: StoreLogin = { url, accessKey, secretKey, ...(region !== undefined && { region }) }
  await untilServing(login, server)
  await begin?.(place)
  const reset = () => removeBuckets(login)
  await reset()
  return { ...login, reset }
}
