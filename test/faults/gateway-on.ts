import { GatewayTable } from '../../src/app/fleet/gateway-table.ts'
import { KnownGateways } from '../../src/app/fleet/known-gateways.ts'
import { readSettings } from '../../src/app/settings/read-settings.ts'
import { openCachedState } from '../../src/app/start/cached-state.ts'
import { openKeyValueStore } from '../../src/app/start/open-state.ts'
import { connectService } from '../../src/app/start/service.ts'
import { serve } from '../../src/app/start/serving.ts'
import { createLog } from '../../src/app/telemetry/log.ts'
import type { Database } from '../../src/platform/state/database.ts'
import type { Drive } from '../../src/storage/drives/drive.ts'
import { testBucket, testCredentials } from '../support/gateway-process.ts'
import type { Scope } from '../support/webdav/server-process.ts'
import { S3Caller } from './s3-caller.ts'

/** A gateway on an open drive, closed with `scope`. */
export async function startGatewayOn(
  scope: Pick<Scope, 'after'>,
  {
    drive,
    database,
    onLogLine,
  }: {
    readonly drive: Drive
    readonly database: Database
    /** Gets the lines of all levels but debug. Default: nothing is logged. */
    readonly onLogLine?: (line: string) => void
  },
): Promise<S3Caller> {
  const settings = await readSettings({
    ACCESS_KEY: testCredentials.accessKey,
    SECRET_KEY: testCredentials.secretKey,
    ALLOWED_BUCKETS: testBucket,
    PORT: '0',
  })
  const log = createLog(onLogLine ? 'info' : 'fatal', { write: onLogLine ?? (() => undefined) })
  const sessions = await openKeyValueStore({ url: settings.authKv, database, now: Date.now })
  const cached = await openCachedState({
    ...{ settings, log, database },
    gateways: new KnownGateways(new GatewayTable(database)),
    now: Date.now,
  })
  const parts = { settings, log, database, drive, sessions, now: Date.now, cached }
  const service = connectService(parts)
  const serving = await serve({ settings, log, service })
  scope.after(async () => {
    await serving.stop()
    await service.close()
    await cached.close()
    await sessions.close()
  })
  const host = `127.0.0.1:${serving.port}`
  return new S3Caller({ host, credentials: testCredentials }, testBucket)
}
