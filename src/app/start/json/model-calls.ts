import { CallAccess } from '../../../models/calls/call-access.ts'
import { CallBodies } from '../../../models/calls/call-body.ts'
import { CallIndex } from '../../../models/calls/call-index.ts'
import { callRoutes } from '../../../models/calls/call-routes.ts'
import { Pauses } from '../../../models/calls/failures/pauses.ts'
import { KeyLimits } from '../../../models/calls/key-limits.ts'
import { ModelCalls } from '../../../models/calls/model-calls.ts'
import { StoredResponses } from '../../../models/calls/stored-responses.ts'
import type { Catalogue } from '../../../models/catalogue/catalogue.ts'
import { KeyList } from '../../../models/key-list/key-list.ts'
import { keyListRoutes } from '../../../models/key-list/key-list-routes.ts'
import { modelKeyRoutes } from '../../../models/keys/model-key-routes.ts'
import { ModelKeyTable } from '../../../models/keys/model-key-table.ts'
import type { StoredModelKeys } from '../../../models/keys/model-keys.ts'
import { modelListApi } from '../../../models/list/model-list-api.ts'
import type { ModelLists } from '../../../models/list/model-lists.ts'
import { activeConnections } from '../../../models/list/stored-rows.ts'
import { CallClient } from '../../../models/upstream/call-client.ts'
import type { Upstreams } from '../../../models/upstream/upstreams.ts'
import { CallLog, callLogRoutes } from '../../../models/usage/call-log.ts'
import { ModelRecordTable } from '../../../models/usage/model-record-table.ts'
import { UsageBatch } from '../../../models/usage/usage-batch.ts'
import { usageRoutes } from '../../../models/usage/usage-routes.ts'
import { ModelUsageTable } from '../../../models/usage/usage-table.ts'
import type { Access, Route } from '../../../platform/json-api/route.ts'
import type { Database } from '../../../platform/state/database.ts'
import { AttemptLimiter } from '../../../platform/state/key-value/attempt-limiter.ts'
import type { KeyValueStore } from '../../../platform/state/key-value/key-value.ts'
import { clientOf } from '../../gateway/untrusted-proxies.ts'
import type { Settings } from '../../settings/read-settings.ts'
import type { Log } from '../../telemetry/log.ts'
import { ModelCallMetrics } from '../../telemetry/metrics/call-metrics.ts'
import type { ProcessMetrics } from '../../telemetry/metrics/process-metrics.ts'

const mib = 1024 * 1024

export interface ModelCallsWiring {
  readonly settings: Settings
  readonly log: Log
  readonly database: Database
  /** AUTH_KV. */
  readonly sessions: KeyValueStore
  readonly modelKeys: StoredModelKeys
  readonly metrics: Pick<ProcessMetrics, 'watchModelCalls'> | undefined
  /** Registers a function that ends the work of these protocols when no request is running. */
  readonly onClose: (close: () => Promise<void>) => void
}

interface ListParts {
  readonly lists: ModelLists
  readonly catalogue: Catalogue
  readonly upstreams: Upstreams
  readonly session: Access
}

/** The list and the calls of models, and the management of their keys and usage. */
export function openModelCalls(
  { settings, log, database, sessions, modelKeys, metrics, onClose }: ModelCallsWiring,
  { lists, catalogue, upstreams, session }: ListParts,
): readonly Route[] {
  const now = Date.now
  const table = new ModelUsageTable(database)
  const usage = new UsageBatch({ table, now, log })
  const pauses = new Pauses({
    random: Math.random,
    now: () => performance.timeOrigin + performance.now(),
    onConnection: ({ connectionId, status, reason }) =>
      log.warn({ connectionId, status, reason }, 'model connection paused after a failure'),
  })
  const counts = new ModelCallMetrics()
  metrics?.watchModelCalls(counts)
  const records = new ModelRecordTable(database)
  const callLog = new CallLog({ table: records, log })
  const connections = async () => activeConnections((await lists.inputs()).connections)
  const responses = new StoredResponses({ table: records, connections, log, now })
  const client = new CallClient({
    connectMs: settings.modelsConnectSeconds * 1_000,
    idleMs: settings.modelsIdleSeconds * 1_000,
  })
  const asked = { lists, catalogue, upstreams, onList: pauses.noteList }
  const index = new CallIndex({ ...asked, now: () => performance.now() })
  const calls = new ModelCalls({
    index,
    bodies: new CallBodies(settings.modelsBodyMib * mib, clientOf(settings)),
    ...{ catalogue, client, pauses, now },
    sinks: { attempts: [usage.note, counts.note], calls: [callLog.note] },
    responses,
    firstByteMs: settings.modelsFirstByteSeconds * 1_000,
    answerMs: settings.modelsAnswerSeconds * 1_000,
  })
  onClose(async () => {
    await client.close()
    await calls.ended()
    await Promise.all([usage.flush(), callLog.flush(), responses.flush()])
  })
  const callAccess = new CallAccess({
    ...{ apiKey: settings.modelsApiKey, isListOpen: settings.modelsListOpen, keys: modelKeys, now },
    limits: new KeyLimits({ usedOfMonth: usage.usedOfMonth, now, exists: modelKeys.has }),
    limiter: new AttemptLimiter(sessions, 'model-key-failures'),
    clientAddress: clientOf(settings),
  })
  const refresh = () => modelKeys.refresh()
  return [
    ...modelListApi({
      ...{ lists, admit: callAccess.admitToList },
      patternsOf: (request) => callAccess.of(request).patterns,
    }),
    ...keyListRoutes({ list: new KeyList({ index, now, log }), access: callAccess, now }),
    ...callRoutes({ calls, callAccess, session }),
    ...modelKeyRoutes({ table: new ModelKeyTable(database), refresh, session, now }),
    ...usageRoutes({
      ...{ table, flush: () => usage.flush(), pauses, session, now },
      connections,
    }),
    ...callLogRoutes(callLog, session),
  ]
}
