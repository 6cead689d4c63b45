import type { HttpRequest } from '../../platform/http/message.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import type { Access, Call } from '../../platform/json-api/route.ts'
import type { Sealer } from '../../platform/state/sealer.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Connection } from '../list/routing-inputs.ts'
import type { ProbeReport } from '../upstream/probe-report.ts'
import type { RoutingEdit, RoutingStore } from './routing-store.ts'
import type { StoredRouting } from './stored-routing.ts'

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
