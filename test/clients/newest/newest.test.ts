import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { withRows } from '../../../scripts/setting-docs.ts'
import type { StubUpstream } from '../../fakes/stub-upstream.ts'
import { diskFolder } from '../../support/disk-folder.ts'
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway-process.ts'
import { type NewestClient, newestClients } from './clients.ts'
import { startEventReceiver } from './event-receiver.ts'
import { absenceOfRegistry, cached, execute, timeoutMs } from './installers.ts'

/**
 * The newest release of each client, at its defaults, against one gateway with COMPATIBILITY=aws. What clients can do
 * only with other settings, they do against a second one. It needs the cached. With NEWEST_DOCS=1 (`npm run docs:clients`) the versions go into docs/s3-compatibility.md.
 */
const document = join(import.meta.dirname, '../../../docs/s3-compatibility.md')
const tableHead = '| client | registry | version | result |\n|---|---|---|---|\n'

describe('newest clients with COMPATIBILITY=aws', () => {
  const folder = mkdtempSync(join(diskFolder, 'bucketry-newest-'))
  const rows = new Map<NewestClient, string>()
  let gateway: GatewayProcess
  let other: GatewayProcess
  let receiver: StubUpstream

  before(async () => {
    // Programs there also run as the user of a database server.
    chmodSync(folder, 0o755)
    const served = newestClients.filter(({ needsBucket }) => needsBucket).map(bucketOf)
    receiver = await startEventReceiver()
    const settings = {
      ...{ COMPATIBILITY: 'aws', ALLOWED_BUCKETS: served.join(',') },
      NOTIFY_WEBHOOK: receiver.origin,
    }
    gateway = await startGatewayProcess({ folder, settings })
    other = await startGatewayProcess({
      folder: mkdtempSync(join(folder, 'other-')),
      settings: { COMPATIBILITY: 'aws', ACLS: 'bucket', SERVER_SIDE_ENCRYPTION: 'claim' },
    })
  })

  after(async () => {
    await gateway?.kill()
    await other?.kill()
    await receiver?.close()
    rmSync(folder, { recursive: true })
    if (process.env.NEWEST_DOCS !== '1') return
    const found = newestClients.flatMap((client) => rows.get(client) ?? [])
    writeFileSync(document, withRows(readFileSync(document, 'utf8'), tableHead, found))
  })

  for (const client of newestClients) {
    const { name, registry } = client
    const skip = absenceOfRegistry(registry)
    it(`${name} of ${registry}`, { skip }, async () => {
      const bucket = bucketOf(client)
      const place = join(folder, bucket)
      mkdirSync(place)
      // First, because Go and Java compile them with the packages, and Node looks for these beside or above them.
      cpSync(import.meta.dirname, place, { recursive: true })
      const { command, version } = await cached[registry].install(client, place)
      const row = (result: string) => `| ${name} | ${registry} | ${version} | ${result} |\n`
      rows.set(client, row('fails'))
      if (client.needsBucket) mkdirSync(join(gateway.driveFolder, bucket), { recursive: true })
      const [program, ...args] = command
      await execute(program, args, {
        cwd: place,
        timeout: timeoutMs,
        env: {
          ...environmentOf(gateway, place, bucket),
          ...{ OTHER_ENDPOINT: other.url, EVENTS: `${receiver.origin}/${bucket}` },
        },
      })
      rows.set(client, row('passes'))
    })
  }
})

const bucketOf = (client: NewestClient) => `newest-${newestClients.indexOf(client)}`

/** No configuration or credential of the user. */
function environmentOf({ url, credentials }: GatewayProcess, home: string, bucket: string) {
  const { accessKey, secretKey } = credentials
  return {
    ...{
      PATH: `${join(home, 'bin')}:${process.env.PATH}`,
      HOME: home,
      LANG: 'C.UTF-8',
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    ...{ ENDPOINT: url, ACCESS_KEY: accessKey, SECRET_KEY: secretKey, BUCKET: bucket },
  }
}
