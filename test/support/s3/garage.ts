import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isDone, until } from '../management-client.ts'

const run = promisify(execFile)

interface GaragePlace {
  readonly address: string
  /** Of S3. */
  readonly port: number
  /** One that is free. */
  readonly rpcPort: number
  readonly folder: string
}

/** Garage takes no keys but such. */
export const garageLogin = {
  accessKey: 'GK0123456789abcdef01234567',
  secretKey: '0123456789abcdef'.repeat(4),
  region: 'garage',
} as const

/** Arguments of `garage` for a cluster of one node. Writes its configuration into the folder. */
export function garageArguments({ address, port, rpcPort, folder }: GaragePlace): string[] {
  const { secretKey, region } = garageLogin
  const rpc = `${address}:${rpcPort}`
  const lines = [
    ...[`metadata_dir = "${folder}/meta"`, `data_dir = "${folder}/data"`],
    ...['db_engine = "sqlite"', 'replication_factor = 1'],
    ...[`rpc_bind_addr = "${rpc}"`, `rpc_public_addr = "${rpc}"`, `rpc_secret = "${secretKey}"`],
    ...['[s3_api]', `s3_region = "${region}"`, `api_bind_addr = "${address}:${port}"`],
  ]
  writeFileSync(join(folder, 'garage.toml'), `${lines.join('\n')}\n`)
  return [...configuration(folder), 'server']
}

/** Gives a new cluster its only node and its only key, which may create buckets. */
export async function beginGarage(
  folder: string,
  check: () => void = () => undefined,
): Promise<void> {
  const call = (...args: readonly string[]) => run('garage', [...configuration(folder), ...args])
  await until(async () => {
    check()
    return await isDone(call('status'))
  })
  const { stdout } = await call('node', 'id', '--quiet')
  const [node = ''] = stdout.split('@')
  await call('layout', 'assign', '--zone', 'one', '--capacity', '10GB', node)
  await call('layout', 'apply', '--version', '1')
  const { accessKey, secretKey } = garageLogin
  await call('key', 'import', '--yes', accessKey, secretKey)
  await call('key', 'allow', '--create-bucket', accessKey)
}

function configuration(folder: string): readonly string[] {
  return ['-c', join(folder, 'garage.toml')]
}
