import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { type ChosenDrive, standUpChosenDrive } from './chosen-drive.ts'
import { type GatewayProcess, startGatewayProcess, testBucket } from './gateway-process.ts'

/** The bucket of PUBLIC_READ_BUCKETS beside the private `testBucket`. */
export const publicBucket = 'public'

/**
 * A gateway of two processes on a local folder or the drive that is chosen, for the tests of one `describe`. Call it there;
 * what it returns gives the gateway once the tests run.
 */
export function useContractGateway(
  settings: Readonly<Record<string, string>> = {},
): () => GatewayProcess {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-contract-'))
  let gateway: GatewayProcess | undefined
  let drive: ChosenDrive | undefined
  before(async () => {
    drive = await standUpChosenDrive()
    gateway = await startGatewayProcess({
      folder,
      settings: {
        ALLOWED_BUCKETS: `${testBucket},${publicBucket}`,
        PUBLIC_READ_BUCKETS: publicBucket,
        WORKERS: '2',
        LOG_LEVEL: 'warn',
        ...drive.settings,
        ...settings,
      },
    })
  })
  after(async () => {
    await gateway?.kill()
    await drive?.end()
    rmSync(folder, { recursive: true, force: true })
  })
  return () => {
    if (gateway === undefined) throw new Error('the gateway has not started yet')
    return gateway
  }
}
