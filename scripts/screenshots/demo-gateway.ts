import { join } from 'node:path'
import { readSettings } from '../../src/app/settings/read-settings.ts'
import { openService } from '../../src/app/start/service.ts'
import { serve } from '../../src/app/start/serving.ts'
import { createLog } from '../../src/app/telemetry/log.ts'
import { buckets, publicBucket } from './demo-files.ts'

/** Not secret: the gateway runs only while the pictures are taken and listens on the loopback. */
export const demoKeys = { accessKeyId: 'DEMOACCESSKEY', secretAccessKey: 'demo/secret+key' }
export const publicHost = 's3.example.net'
export const demoPassword = 'a password of the demo'

/**
 * Starts a gateway over the demo drive in this process.
 *
 * @param folder holds the drive, in `drive`, and the database.
 */
export async function startDemoGateway(folder: string) {
  const settings = await readSettings({
    DRIVE: `file:${join(folder, 'drive')}`,
    DATABASE_URL: `sqlite:${join(folder, 'bucketry.db')}`,
    ACCESS_KEY: demoKeys.accessKeyId,
    SECRET_KEY: demoKeys.secretAccessKey,
    ALLOWED_BUCKETS: buckets.join(','),
    PUBLIC_READ_BUCKETS: publicBucket,
    DASHBOARD_PASSWORD: demoPassword,
    PUBLIC_URL: `https://${publicHost}`,
    TRUST_PROXY: '127.0.0.1',
    REGION: 'eu-central-1',
    PORT: '0',
  })
  const log = createLog('error', process.stderr)
  const service = await openService(settings, log, {
    kind: 'primary',
    onDriveLost: () => undefined,
  })
  const serving = await serve({ settings, log, service })
  return {
    url: `http://127.0.0.1:${serving.port}`,
    async stop() {
      await serving.stop()
      await service.close()
    },
  }
}
