import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CallAccess } from '../../src/models/calls/call-access.ts'
import { KeyLimits } from '../../src/models/calls/key-limits.ts'
import { modelListApi } from '../../src/models/list/model-list-api.ts'
import { type ModelListParts, ModelLists } from '../../src/models/list/model-lists.ts'
import { modelsErrorFormats } from '../../src/models/list/models-error-format.ts'
import type { RoutingSource } from '../../src/models/list/routing-inputs.ts'
import { Upstreams } from '../../src/models/upstream/upstreams.ts'
import { AttemptLimiter } from '../../src/platform/state/key-value/attempt-limiter.ts'
import { MemoryKeyValueStore } from '../fakes/memory-key-value.ts'
import { type JsonSender, jsonSender } from './json-sender.ts'
import { silentLog } from './silent-log.ts'
import { smallCatalogue } from './small-catalogue.ts'

export interface ModelsAppOptions extends Partial<ModelListParts> {
  readonly apiKey?: string
  /** What is stored, where no source is given. */
  readonly state?: SourceRows
  readonly onFailure?: (error: unknown) => void
}

/** What the loads of a source give. */
export type SourceRows = {
  readonly [Input in keyof RoutingSource]?: Awaited<ReturnType<RoutingSource[Input]>>
}

/** A source that always has the same. */
export function sourceOf(state: SourceRows): RoutingSource {
  return {
    connections: async () => state.connections ?? [],
    combos: async () => state.combos ?? [],
    customModels: async () => state.customModels ?? [],
    modelAliases: async () => state.modelAliases ?? {},
  }
}

/** The model list with a small catalogue and nothing stored. */
export function modelsApp(options: ModelsAppOptions = {}): JsonSender {
  const { state = {}, onFailure = () => undefined, apiKey, ...given } = options
  const routes = modelListApi({
    lists: listsOf(state, given),
    admit: callersOf(apiKey).admitToList,
  })
  return jsonSender(routes, { errorFormats: modelsErrorFormats, onFailure })
}

/** Who may list and call, without model keys. @param now the clock of all, milliseconds */
export function callersOf(
  apiKey: string | undefined,
  { now = Date.now, clientAddress = (): string => '192.0.2.1' } = {},
): CallAccess {
  return new CallAccess({
    ...{ apiKey, now, elapsed: now, clientAddress },
    keys: { isEmpty: true, find: async () => undefined },
    limits: new KeyLimits({ usedOfMonth: async () => ({ tokens: 0, micros: 0 }), now }),
    limiter: new AttemptLimiter(new MemoryKeyValueStore(now), 'guesses'),
  })
}

export function listsOf(state: SourceRows, given: Partial<ModelListParts> = {}): ModelLists {
  return new ModelLists({
    source: sourceOf(state),
    catalogue: smallCatalogue,
    upstreams: new Upstreams(),
    now: () => 1_700_000_000_000,
    log: silentLog,
    ...given,
  })
}

/** The model list behind a port, as an upstream of others or for a real client. */
export async function listening(
  context: { after(end: () => void): void },
  /** Asked for at the first request, when the ports of all are known. */
  options: () => ModelsAppOptions,
): Promise<string> {
  let app: JsonSender | undefined
  const server = createServer(async ({ url = '', headers }, response) => {
    app ??= modelsApp(options())
    const { authorization } = headers
    const reply = await app.send({ url, headers: { authorization } })
    response.writeHead(reply.status, reply.headers).end(reply.text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
