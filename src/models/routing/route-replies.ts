import type { HttpRequest } from '../../platform/http/message.ts'
import { ApiError, jsonPath } from '../../platform/json-api/api-error.ts'
import type { Access, Call } from '../../platform/json-api/route.ts'
import type { Sealer } from '../../platform/state/sealer.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Connection } from '../list/routing-inputs.ts'
import { type RoutingWarning, routingWarnings } from '../list/routing-warnings.ts'
import { byPriority } from '../list/stored-rows.ts'
import type { ProbeReport } from '../upstream/upstreams.ts'
import { maskedHeaders, maskOf } from './given-key.ts'
import type {
  ConnectionAnswer,
  FieldWarning,
  RoutingAnswer,
  WarnedRouting,
} from './routing-schemas.ts'
import type { RoutingEdit, RoutingStore } from './routing-store.ts'
import type { RoutingSet } from './routing-table.ts'
import {
  type ItemLists,
  itemKeys,
  type StoredConnection,
  type StoredRouting,
} from './stored-routing.ts'

export interface RoutingApiParts {
  readonly store: RoutingStore
  readonly sealer: Sealer
  readonly catalogue: Catalogue
  /**
   * Asks the upstream of a connection with a decrypted key; a failure of the upstream is a result.
   */
  readonly probe: (connection: Connection) => Promise<ProbeReport>
  /** Admits requests with a valid session. */
  readonly session: Access
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Adds the revision to every response with a state. */
export function tagReply(replyHeaders: Map<string, string>, revision: number): void {
  replyHeaders.set('etag', `"${revision}"`)
}

/**
 * Changes the state, if it has the revision that the request expects, and tags the reply.
 *
 * @throws ApiError as RoutingStore.change does.
 */
export async function applyEdit(
  store: RoutingStore,
  edit: RoutingEdit,
  { request, replyHeaders }: Pick<Call<unknown, unknown, unknown>, 'request' | 'replyHeaders'>,
): Promise<StoredRouting> {
  const { revision, state } = await store.change(edit, expectedRevision(request))
  tagReply(replyHeaders, revision)
  return state
}

/**
 * The revision that If-Match requires; undefined: any (RFC 9110 section 13.1.1).
 *
 * @throws ApiError 412 if the value cannot be a revision.
 */
function expectedRevision({ headers }: HttpRequest): number | undefined {
  const given = headers['if-match']
  if (given === undefined || given === '*') return undefined
  const [, digits] = /^"(\d{1,15})"$/.exec(given) ?? []
  if (digits !== undefined) return Number(digits)
  throw new ApiError(412, 'Expected an ETag that this API returned.', { field: 'if-match' })
}

/** The format of an export and of PUT. Keys are masked. */
export function toRoutingAnswer(state: StoredRouting, sealer: Sealer): RoutingAnswer {
  const { connections, ...inputs } = inputsOf(state)
  return { connections: connections.map((one) => toConnectionAnswer(one, sealer)), ...inputs }
}

/** The whole state with warnings about input without effect. */
export function toWarnedRouting(
  state: StoredRouting,
  { sealer, catalogue }: { readonly sealer: Sealer; readonly catalogue: Catalogue },
): WarnedRouting {
  return { ...toRoutingAnswer(state, sealer), warnings: stateWarnings(state, catalogue) }
}

export function toConnectionAnswer(stored: StoredConnection, sealer: Sealer): ConnectionAnswer {
  const { sealedKey, sealedHeaders: _, providerSpecificData: data, ...fields } = stored
  const headers = maskedHeaders(stored, sealer)
  const providerSpecificData = headers === undefined ? data : { ...data, headers }
  const connection = { ...fields, providerSpecificData }
  if (sealedKey === undefined) return { ...connection, apiKeyState: 'none' }
  const apiKey = sealer.open(sealedKey, connection.id)
  const apiKeyState = apiKey === undefined ? 'unreadable' : 'stored'
  return { ...connection, apiKey: maskOf(apiKey), apiKeyState }
}

/** The `warnings` of responses: stored input that has no effect on any list. */

/** The warnings of the whole state; `field` is a JSON path in it. */
export function stateWarnings(state: StoredRouting, catalogue: Catalogue): FieldWarning[] {
  return find(state, catalogue).map(({ path, message }) => ({ field: jsonPath(path), message }))
}

/** The warnings of one item; `field` is a JSON path in the item. */
export function itemWarnings<Set extends RoutingSet>(
  state: StoredRouting,
  catalogue: Catalogue,
  { set, key }: { readonly set: Set; readonly key: string },
): FieldWarning[] {
  const lists: ItemLists = { ...state, connections: state.connections.toSorted(byPriority) }
  const items: ItemLists[Set] = lists[set]
  const index = items.findIndex((item) => itemKeys[set](item) === key)
  const step = set === 'modelAliases' ? key : index
  return find(state, catalogue)
    .filter(({ path }) => path[0] === set && path[1] === step)
    .map(({ path: [, , ...inItem], message }) => ({
      // In the whole state the target of an alias is the value of its name.
      field: set === 'modelAliases' ? 'target' : jsonPath(inItem),
      message,
    }))
}

function find(state: StoredRouting, catalogue: Catalogue): readonly RoutingWarning[] {
  return routingWarnings({ ...inputsOf(state), catalogue })
}

function inputsOf({ connections, combos, customModels, modelAliases }: StoredRouting) {
  return {
    ...{ connections: connections.toSorted(byPriority), combos, customModels },
    modelAliases: Object.fromEntries(modelAliases.map(({ name, target }) => [name, target])),
  }
}
