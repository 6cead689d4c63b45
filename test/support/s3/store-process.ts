import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../free-port.ts'
import { testBucket } from '../gateway-process.ts'
import { startArguments } from '../start-command.ts'
import { beginGarage, garageArguments, garageLogin } from './garage.ts'
import type { S3Store } from './s3-store.ts'
import { morePorts, seaweedArguments } from './seaweed.ts'

/** An S3 store in a process that a test may kill, suspend and start again. */
export interface StoreProcess extends Omit<S3Store, 'reset'> {
  readonly pid: number
  /** SIGKILL. */
  kill(): Promise<void>
  /** Starts it again, on the same port. */
  comeBack(): Promise<void>
  /** Stops answering without closing anything (SIGSTOP), until `thaw`. */
  freeze(): void
  thaw(): void
}

interface Place {
  readonly address: string
  readonly port: number
  /** Further ports. */
  readonly others: readonly number[]
  /** Of its files. */
  readonly folder: string
  /** One that it may have from the beginning. */
  readonly bucket: string
}

interface Program {
  command(place: Place): readonly string[]
  environment(place: Place): Readonly<Record<string, string>>
  readonly region?: string
  /** What must be done when it runs for the first time. */
  begin?(place: Place): Promise<void>
}

/** It may run with low priority on a busy machine. */
const longestStartMs = 180_000
const longestAnswerMs = 5_000

const { accessKey, secretKey } = garageLogin

/** Those that are not Bucketry have to be on PATH. */
const programs = {
  bucketry: {
    command: () => [process.execPath, ...startArguments()],
    environment: ({ address, port, folder, bucket }) => ({
      ...{ DRIVE: `file:${join(folder, 'drive')}`, DATABASE_URL: `sqlite:${join(folder, 'db')}` },
      ...{ ACCESS_KEY: accessKey, SECRET_KEY: secretKey, ALLOWED_BUCKETS: bucket },
      // In one process, which is killed and suspended as a whole.
      ...{ HOST: address, PORT: String(port), WORKERS: '1', LOG_LEVEL: 'warn' },
      COMPATIBILITY: 'aws',
    }),
  },
  minio: {
    command: ({ address, port, folder }) => [
      ...['minio', 'server', '--address', `${address}:${port}`, folder],
    ],
    environment: () => ({ MINIO_ROOT_USER: accessKey, MINIO_ROOT_PASSWORD: secretKey }),
  },
  versitygw: {
    command: ({ address, port, folder }) => [
      ...['versitygw', '--keep-alive', '--port', `${address}:${port}`, 'posix', folder],
    ],
    environment: () => ({ ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey }),
  },
  weed: {
    command: (place) => ['weed', ...seaweedArguments({ ...place, accessKey, secretKey })],
    environment: () => ({}),
  },
  garage: {
    command: ({ others: [rpcPort = 0], ...place }) => [
      'garage',
      ...garageArguments({ ...place, rpcPort }),
    ],
    environment: () => ({}),
    region: garageLogin.region,
    begin: ({ folder }) => beginGarage(folder),
  },
} as const satisfies Readonly<Record<string, Program>>

export type StoreName = keyof typeof programs

export function isStoreName(name: string): name is StoreName {
  return name in programs
}

/** The first store that others wrote and that is on PATH, or Bucketry. */
export function installedStore(): StoreName {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const others = ['minio', 'versitygw'] as const
  return others.find((name) => folders.some((one) => existsSync(join(one, name)))) ?? 'bucketry'
}

/** Starts a store on this address, with its files in an existing folder. `kill` ends it. */
export async function startStoreProcess(
  name: StoreName,
  { address, folder, bucket = testBucket }: Pick<Place, 'address' | 'folder'> & Partial<Place>,
): Promise<StoreProcess> {
  const port = await freePort()
  const url = `http://${address}:${port}`
  const others = await morePorts()
  const place = { address, port, others, folder: join(folder, 'store'), bucket }
  mkdirSync(place.folder)
  const program: Program = programs[name]
  const start = () => {
    const command = ['--pdeathsig=KILL', ...program.command(place)]
    const env = { ...{ PATH: process.env.PATH, HOME: folder }, ...program.environment(place) }
    return spawn('setpriv', command, { cwd: folder, env, stdio: 'ignore' })
  }
  let child = start()
  const serves = async () => {
    const giveUpAt = performance.now() + longestStartMs
    while (!(await doesAnswer(url))) {
      if (child.exitCode !== null) throw new Error(`${name} ended with status ${child.exitCode}`)
      if (performance.now() > giveUpAt) throw new Error(`${name} does not answer`)
      await delay(50)
    }
  }
  await serves()
  await program.begin?.(place)
  return {
    ...{ url, accessKey, secretKey, region: program.region },
    get pid() {
      return child.pid ?? 0
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    async comeBack() {
      child = start()
      await serves()
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  }
}

async function doesAnswer(url: string): Promise<boolean> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(longestAnswerMs) })
    await reply.arrayBuffer()
    return reply.status !== 503
  } catch {
    return false
  }
}
