import type { Database } from '../../platform/state/database.ts'
import type {
  Draft,
  Drive,
  OpenObject,
  PartDraft,
  UploadDrive,
} from '../../storage/drives/drive.ts'
import type { EntryCursor } from '../../storage/drives/listed-entry.ts'
import type { Settings } from '../settings/read-settings.ts'
import { type CallSink, type CallTable, watched } from './calls.ts'
import type { Log } from './log.ts'
import { hasMetrics, ProcessMetrics } from './metrics/process-metrics.ts'
import type { Tracing } from './tracing/start-tracing.ts'

/** The reporters of this process's requests and calls. Each is absent if it is off. */
export interface Telemetry {
  readonly metrics?: ProcessMetrics | undefined
  readonly tracing?: Tracing | undefined
}

/** The reporters of a drive's calls, which include the traffic history of the dashboard. */
export interface DriveTelemetry extends Telemetry {
  readonly traffic?: CallSink | undefined
}

/**
 * Opens metrics and traces if the settings turn them on. Without an address for traces, OpenTelemetry is not loaded,
 * and nothing is wrapped for it.
 */
export async function openTelemetry(settings: Settings, log: Log): Promise<Telemetry> {
  const metrics = hasMetrics(settings) ? new ProcessMetrics() : undefined
  const url = tracesAddress(settings)
  if (url === undefined) return { metrics }
  const { startTracing } = await import('./tracing/start-tracing.ts')
  return { metrics, tracing: startTracing(url, settings, log) }
}

/** OpenTelemetry, "OpenTelemetry Protocol Exporter", "Endpoint URLs for OTLP/HTTP". */
function tracesAddress(settings: Settings): string | undefined {
  const { otelSdkDisabled, otlpEndpoint, otlpTracesEndpoint } = settings
  if (otelSdkDisabled) return undefined
  if (otlpTracesEndpoint !== undefined) return otlpTracesEndpoint
  return otlpEndpoint === undefined ? undefined : `${otlpEndpoint.replace(/\/$/, '')}/v1/traces`
}

/** The names of calls: `name` in metrics (docs/metrics.md), `span` in traces (docs/tracing.md). */

const listCall = { name: 'list', span: 'list' }
const cursor: CallTable<EntryCursor> = { next: listCall, nextKeys: listCall, seek: {}, hasMore: {} }

/** Calls of an open object: its bytes are read while the reply is sent, outside of the handler. */
const openObject: CallTable<OpenObject> = {
  size: {},
  modifiedAtMs: {},
  attributes: {},
  versionId: {},
  isDeleteMarker: {},
  content: {},
  read: { span: 'read' },
  readNow: {},
  lend: { span: 'read' },
  close: {},
}

const draft: CallTable<Draft> = {
  write: { name: 'write' },
  publish: { name: 'publish', span: 'publish' },
  discard: { span: 'discard' },
}

const part: CallTable<PartDraft> = {
  write: { name: 'write' },
  commit: { name: 'commitPart', span: 'uploads.commit' },
  discard: { span: 'uploads.discard' },
}

const uploads: CallTable<UploadDrive> = {
  begin: { name: 'beginUpload', span: 'uploads.begin' },
  abilities: {},
  takeOver: { name: 'takeOverUpload', span: 'uploads.takeOver' },
  append: { name: 'appendPart', span: 'uploads.append', result: part },
  replaceLast: { name: 'replacePart', span: 'uploads.replaceLast', result: part },
  place: { name: 'placePart', span: 'uploads.place', result: part },
  removePlace: { name: 'removePlace', span: 'uploads.removePlace' },
  complete: { name: 'completeUpload', span: 'uploads.complete' },
  isPublished: { name: 'isPublished', span: 'uploads.isPublished' },
  abort: { name: 'abortUpload', span: 'uploads.abort' },
  sweep: { name: 'sweepUploads' },
}

const drive: CallTable<Drive> = {
  kind: {},
  deletes: {},
  trashes: {},
  readsAlone: {},
  followsChanges: {},
  ownEtags: {},
  isLocal: {},
  prepare: { name: 'prepare' },
  addBucket: { name: 'addBucket', span: 'addBucket' },
  removeBucket: { name: 'removeBucket', span: 'removeBucket' },
  check: { name: 'check', span: 'check' },
  bucketCreatedAtMs: { name: 'bucket', span: 'bucketCreatedAtMs' },
  list: { result: cursor },
  head: { name: 'head', span: 'head' },
  open: { name: 'open', span: 'open', result: openObject },
  draft: { name: 'draft', span: 'draft', result: draft },
  copy: { name: 'copy', span: 'copy' },
  setAttributes: { name: 'setAttributes', span: 'setAttributes' },
  versionsRefusal: {},
  isVersionId: {},
  setVersioning: { name: 'setVersioning', span: 'setVersioning' },
  enableLocks: { name: 'enableLocks', span: 'enableLocks' },
  hidingMarker: { name: 'hidingMarker', span: 'hidingMarker' },
  listVersions: { result: { next: { name: 'listVersions', span: 'listVersions' }, seek: {} } },
  remove: { name: 'remove', span: 'remove' },
  removeAll: { name: 'removeAll', span: 'removeAll' },
  removeFolder: { name: 'removeFolder', span: 'removeFolder' },
  moveFolder: { name: 'moveFolder', span: 'moveFolder' },
  sweep: { name: 'sweep' },
  uploads: { within: uploads },
  quota: { name: 'quota', span: 'quota' },
  statistics: {},
  close: {},
}

const database: CallTable<Database> = {
  kind: {},
  file: {},
  committed: { name: 'write', isTimed: true },
  read: { name: 'read', span: 'read' },
  write: { name: 'write', span: 'write' },
  flush: {},
  beginServing: {},
  clockMs: {},
  clockSql: {},
  subscribe: {},
  waiting: {},
  check: { name: 'read', span: 'check' },
  close: {},
}

/** Wraps an opened drive to observe its calls. @param name '' for the default drive */
export function watchedDrive(
  opened: Drive,
  name: string,
  { metrics, tracing, traffic }: DriveTelemetry,
): Drive {
  const sinks = [metrics?.ofDrive(opened, name), traffic].filter((sink) => sink !== undefined)
  return watched(opened, drive, { sinks, spans: tracing?.ofDrive(name || opened.kind) })
}

/** Wraps a database to observe its calls. */
export function watchedDatabase(opened: Database, { metrics, tracing }: Telemetry): Database {
  const sinks = metrics === undefined ? [] : [metrics.ofDatabase(opened)]
  return watched(opened, database, { sinks, spans: tracing?.ofDatabase(opened.kind) })
}
