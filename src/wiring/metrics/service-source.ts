import { packageVersion } from '../../package-folder.ts'
import { withinTime } from '../../process/time-limit.ts'
import { onceAtATime } from '../probes/health.ts'
import type { ProcessMetrics } from './process-metrics.ts'
import { type Snapshot, SnapshotBuilder } from './snapshot.ts'

/** Limit for the drive and the database. Their values are left out when it is exceeded. */
const timeoutMs = 2_000

/** Reads the metrics that are the same for all processes. */
export function createServiceSource(metrics: ProcessMetrics): () => Promise<Snapshot> {
  const { drive, uploads } = metrics
  // Other drives would ask their server each time.
  const quota = drive?.kind === 'file' ? drive.quota?.bind(drive) : undefined
  const askSpace = quota && onceAtATime(quota)
  const askUploads = uploads && onceAtATime(() => uploads.countOpen())
  const version = packageVersion()
  return async () => {
    const [openUploads, space] = await Promise.all([answerOf(askUploads), answerOf(askSpace)])
    const snapshot = new SnapshotBuilder()
    snapshot.add('bucketry_process_start_time_seconds', performance.timeOrigin / 1_000)
    snapshot.add('bucketry_build_info', 1, { version, node: process.version })
    if (openUploads !== undefined) snapshot.add('bucketry_open_uploads', openUploads)
    if (space !== undefined) {
      snapshot.add('bucketry_drive_free_bytes', space.freeBytes)
      snapshot.add('bucketry_drive_size_bytes', space.totalBytes)
    }
    return snapshot.build()
  }
}

/** Undefined if the source fails or hangs. The health checks report why. */
async function answerOf<Result>(
  ask: (() => Promise<Result>) | undefined,
): Promise<Result | undefined> {
  try {
    return ask && (await withinTime(ask(), timeoutMs))
  } catch {
    return undefined
  }
}
