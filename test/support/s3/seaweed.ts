import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'

interface SeaweedPlace {
  readonly address: string
  /** Of S3. */
  readonly port: number
  readonly folder: string
  /** `morePorts`. */
  readonly others: readonly number[]
  readonly accessKey: string
  readonly secretKey: string
}

const names = ['master', 'volume', 'filer'].flatMap((name) => [`${name}.port`, `${name}.port.grpc`])
const portNames = [...names, 's3.port.grpc']

/** Its servers have ports of their own. */
export async function morePorts(): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < portNames.length) ports.push(await freePort())
  return ports
}

/** Arguments of `weed` for all its servers in one process. Writes its keys into the folder. */
export function seaweedArguments(place: SeaweedPlace): readonly string[] {
  const { address, port, folder, others, accessKey, secretKey } = place
  const configuration = join(folder, 's3.json')
  const identity = { name: 'tests', credentials: [{ accessKey, secretKey }], actions: ['Admin'] }
  writeFileSync(configuration, JSON.stringify({ identities: [identity] }))
  return [
    ...['server', '-s3', `-s3.port=${port}`, `-s3.config=${configuration}`, `-dir=${folder}`],
    ...portNames.map((name, index) => `-${name}=${others[index]}`),
    ...[`-ip=${address}`, `-ip.bind=${address}`, '-s3.port.iceberg=0', '-s3.port.lance=0'],
    ...[
      '-volume.max=200',
      '-master.volumeSizeLimitMB=64',
      '-master.telemetry=false',
      '-s3.autoCreateBucket=false',
    ],
  ]
}
