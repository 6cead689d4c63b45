import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import type { Scope } from '../webdav/server-process.ts'
import { lastFirst } from '../webdav/suite-scope.ts'
import { beginGarage, garageArguments, garageLogin } from './garage.ts'
import { removeBuckets, type S3Store, type StoreLogin } from './s3-store.ts'
import { morePorts, seaweedArguments } from './seaweed.ts'
import { folderFor, startProcess, untilServing } from './server-program.ts'

const { accessKey, secretKey } = garageLogin

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
  /** What must be done when it runs. @param check throws if it has ended */
  begin?(place: Place, check: () => void): Promise<void>
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
    region: garageLogin.region,
    prepare: ({ folder, port, others: [rpcPort = 0] }) =>
      garageArguments({ address: '127.0.0.1', port, rpcPort, folder }),
    begin: ({ folder }, check) => beginGarage(folder, check),
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
  await begin?.(place, server.check)
  await untilServing(login, server)
  const reset = () => removeBuckets(login)
  await reset()
  return { ...login, reset }
}
