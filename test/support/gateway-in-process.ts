import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { GatewayTable } from '../../src/app/fleet/gateway-table.ts'
import { KnownGateways } from '../../src/app/fleet/known-gateways.ts'
import { readSettings } from '../../src/app/settings/read-settings.ts'
import { openBucketOptions, openCachedState } from '../../src/app/start/cached-state.ts'
import { openKeyValueStore } from '../../src/app/start/open-state.ts'
import { connectService } from '../../src/app/start/service.ts'
import { type ServeOptions, serve } from '../../src/app/start/serving.ts'
import { createLog } from '../../src/app/telemetry/log.ts'
import { hasMetrics, ProcessMetrics } from '../../src/app/telemetry/metrics/process-metrics.ts'
import { watchedDatabase, watchedDrive } from '../../src/app/telemetry/telemetry.ts'
import { openDatabase } from '../../src/platform/state/open-database.ts'
import type { Drive } from '../../src/storage/drives/drive.ts'
import { openMemoryDrive } from '../../src/storage/drives/memory/memory-drive.ts'
import { testBucket, testCredentials } from './gateway-process.ts'
import type { LogLine } from './main-process.ts'
import type { Credentials } from './signed-request.ts'

/** A whole gateway inside the test's process, on a memory drive: for what needs no process. */
export interface GatewayInProcess {
  readonly url: string
  /** Value of the Host header. */
  readonly host: string
  readonly port: number
  readonly credentials: Credentials
  readonly bucket: string
  readonly drive: Drive
  /** What it has logged, debug lines included. */
  readonly lines: readonly LogLine[]
  /** Removes what lifecycle rules expire. */
  expire(): Promise<void>
}

export interface InProcessOptions extends Pick<ServeOptions, 'maxConnections'> {
  /** The database's time. */
  readonly now?: () => number
}

/** Starts one that ends with the test. `environment` holds settings. */
export async function startGatewayInProcess(
  t: TestContext,
  environment: Readonly<Record<string, string>> = {},
  options: InProcessOptions = {},
): Promise<GatewayInProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-memory-'))
  const lines: LogLine[] = []
  const settings = await readSettings({
    ACCESS_KEY: testCredentials.accessKey,
    SECRET_KEY: testCredentials.secretKey,
    ALLOWED_BUCKETS: testBucket,
    DATABASE_URL: `sqlite:${join(folder, 'state.db')}`,
    PORT: '0',
    ...environment,
  })
  const { now = Date.now, ...serveOptions } = options
  const log = createLog('debug', { write: (line) => lines.push(JSON.parse(line)) })
  const metrics = hasMetrics(settings) ? new ProcessMetrics() : undefined
  const opened = await openDatabase(settings.database, { migrate: true })
  const database = watchedDatabase(opened, { metrics })
  const gateways = new KnownGateways(new GatewayTable(database))
  const buckets = openBucketOptions({ settings, database, gateways, now: Date.now })
  await buckets.versioning.load()
  const versioningOf = buckets.versioning.ofDrive('')
  const drive = watchedDrive(openMemoryDrive({ versioningOf }), '', { metrics })
  await drive.prepare(settings.allowedBuckets)
  const sessions = await openKeyValueStore({ url: settings.authKv, database, now })
  const cached = await openCachedState({
    ...{ settings, log, database, gateways, buckets },
    now: Date.now,
  })
  const parts = { settings, log, database, drive, sessions, now, metrics, cached }
  const service = connectService(parts)
  const serving = await serve({ settings, log, service, ...serveOptions })
  t.after(async () => {
    await serving.stop()
    await service.close()
    await cached.close()
    await sessions.close()
    await database.close()
    metrics?.close()
    rmSync(folder, { recursive: true })
  })
  const host = `127.0.0.1:${serving.port}`
  return {
    url: `http://${host}`,
    host,
    port: serving.port,
    credentials: testCredentials,
    bucket: testBucket,
    drive,
    lines,
    async expire() {
      for (const { name, run } of service.chores) {
        if (['expiry', 'trash'].includes(name)) await run(new AbortController().signal)
      }
    },
  }
}
