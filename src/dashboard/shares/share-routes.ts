import { z } from 'zod'
import type { HttpRequest } from '../../platform/http/message.ts'
import type { OriginOf } from '../../platform/http/origin.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { type Access, type Route, route, routesBelow } from '../../platform/json-api/route.ts'
import type { Sealer } from '../../platform/state/sealer.ts'
import type { AccessKeys } from '../../storage/access/access-keys.ts'
import type { Buckets } from '../../storage/buckets/buckets.ts'
import { isLegalKey } from '../../storage/drives/kit/names/key-path.ts'
import { assertBucket, originOfRequest, timeOf, timeOrNull } from '../management/route-checks.ts'
import { mayShare } from './maker-access.ts'
import {
  detailsText,
  endOf,
  hashOf,
  neededActions,
  newShareId,
  newToken,
  type Share,
  shareOf,
  sharesBase,
} from './share.ts'
import { hashPassword } from './share-password.ts'
import {
  type ShareReply,
  shareBody,
  shareChange,
  shareReply,
  sharesReply,
} from './share-schemas.ts'
import type { ShareRow, ShareTable } from './share-table.ts'

interface ShareRoutesParts {
  readonly table: Pick<ShareTable, 'all' | 'get' | 'add' | 'edit' | 'revoke'>
  /** Seals tokens. */
  readonly sealer: Sealer
  readonly keys: Pick<AccessKeys, 'find'>
  /** ACCESS_KEY. */
  readonly ownerKey: string
  readonly buckets: Buckets
  readonly originOf: OriginOf
  /** Admits requests with a valid session. */
  readonly session: Access
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
}

/** For the longest list of items. */
const maxBodyBytes = 1024 * 1024

/** The maximum number of shares, including those that have ended. */
const maxShares = 5_000

/** The format of `newShareId`. PostgreSQL rejects text with a NUL character. */
const shareIdForm = /^[\w-]{12}$/

/** Manages shares: links for people without an account. */
export function shareRoutes(parts: ShareRoutesParts): readonly Route[] {
  const common = { tag: 'management', access: parts.session }
  return routesBelow('/-/api/shares', common, [
    listRoute(parts),
    createRoute(parts),
    changeRoute(parts),
    revokeRoute(parts),
  ])
}

function listRoute(parts: ShareRoutesParts): Route {
  return route({
    method: 'GET',
    path: '',
    operationId: 'getShares',
    summary: 'Lists the shares',
    description: 'Newest first, including shares that ended in the last 30 days.',
    reply: sharesReply,
    answer: async ({ request }) => {
      const rows = await parts.table.all()
      return { shares: rows.map((row) => replyOf(row, request, parts)) }
    },
  })
}

function createRoute(parts: ShareRoutesParts): Route {
  return route({
    method: 'POST',
    path: '',
    operationId: 'createShare',
    summary: 'Creates a share',
    description: 'A link for people without an account. The reply contains its address.',
    body: shareBody,
    bodyLimit: maxBodyBytes,
    status: 201,
    reply: shareReply,
    async answer({ request, body }) {
      const { kind, bucket, path, title, note, accessKeyId, password, types } = body
      const maxFileBytes = body.maxFileBytes ?? 0
      assertBucket(parts.buckets, bucket)
      assertPath(kind, path)
      assertItems(body)
      assertLimits(kind, body)
      const items = [...new Set(body.items)]
      assertMaker({ kind, bucket, path, maker: accessKeyId ?? '' }, parts)
      const expiresAtMs = expiryOf(body.expiresAt, parts.now())
      const token = newToken()
      const shareId = newShareId()
      const passwordHash = password === null ? '' : await hashPassword(password, request.signal)
      const row: ShareRow = {
        ...{ shareId, kind, bucket, maker: accessKeyId ?? '', tokenHash: hashOf(token) },
        sealedToken: parts.sealer.seal(token, shareId),
        json: detailsText({ path, items, title, note, passwordHash, maxFileBytes, types }),
        createdAtMs: parts.now(),
        ...{
          expiresAtMs,
          maxUses: body.maxUses ?? 0,
          uses: 0,
          maxBytes: body.maxBytes ?? 0,
          bytes: 0,
        },
        ...{ revokedAtMs: 0, lastUsedAtMs: 0, views: 0 },
      }
      if (!(await parts.table.add(row, maxShares))) {
        const message = `There are already ${maxShares} shares. Ended shares are removed after 30 days.`
        throw new ApiError(409, message)
      }
      return replyOf(row, request, parts)
    },
  })
}

function changeRoute(parts: ShareRoutesParts): Route {
  const { table, now } = parts
  return route({
    method: 'PATCH',
    path: '/{shareId}',
    operationId: 'changeShare',
    summary: 'Changes a share',
    description:
      'Fields that are absent stay as they are. Its address stays the same. A share that has expired or was used up ' +
      'works again. After a new password, visitors have to enter it.',
    params: z.object({ shareId: z.string() }),
    body: shareChange,
    reply: shareReply,
    errors: { 409: 'The share was changed or revoked at the same time.' },
    async answer({ request, params: { shareId }, body }) {
      const row = shareIdForm.test(shareId) ? await table.get(shareId) : undefined
      if (row === undefined || row.revokedAtMs !== 0) throw notThere()
      assertLimits(row.kind, body)
      const { password, expiresAt } = body
      const changed = changedRow(row, body, {
        passwordHash: password ? await hashPassword(password, request.signal) : '',
        expiresAtMs: expiryOf(expiresAt ?? null, now()),
      })
      if (!(await table.edit(changed, row))) {
        throw new ApiError(409, 'The share was changed or revoked at the same time. Try again.')
      }
      return replyOf(changed, request, parts)
    },
  })
}

function revokeRoute({ table, now }: ShareRoutesParts): Route {
  return route({
    method: 'DELETE',
    path: '/{shareId}',
    operationId: 'revokeShare',
    summary: 'Revokes a share',
    description: 'Its address stops working at once. A revoked share cannot be restored.',
    params: z.object({ shareId: z.string() }),
    status: 204,
    replyDescription: 'Revoked.',
    async answer({ params: { shareId } }) {
      if (shareIdForm.test(shareId) && (await table.revoke(shareId, now()))) return
      throw notThere()
    },
  })
}

/** Pure: the row with the fields of the change. @param values of the fields that are stored in another form */
function changedRow(
  row: ShareRow,
  change: z.output<typeof shareChange>,
  values: Pick<Share, 'passwordHash' | 'expiresAtMs'>,
): ShareRow {
  const share = shareOf(row)
  // null: no limit.
  const limit = (field: 'maxUses' | 'maxBytes' | 'maxFileBytes') =>
    change[field] === undefined ? share[field] : (change[field] ?? 0)
  const { title = share.title, note = share.note, types = share.types } = change
  const passwordHash = change.password === undefined ? share.passwordHash : values.passwordHash
  const texts = { title, note, types, passwordHash }
  return {
    ...row,
    json: detailsText({ ...share, ...texts, maxFileBytes: limit('maxFileBytes') }),
    expiresAtMs: change.expiresAt === undefined ? row.expiresAtMs : values.expiresAtMs,
    maxUses: limit('maxUses'),
    maxBytes: limit('maxBytes'),
  }
}

function notThere(): ApiError {
  return new ApiError(404, 'The share does not exist or is already revoked.')
}

/** @throws ApiError 400 if an item cannot be the key of a file or of a folder */
function assertItems({ kind, path, items }: z.output<typeof shareBody>): void {
  if (items.length === 0 || (kind === 'folder' && items.every((item) => isLegalKey(path + item)))) {
    return
  }
  const message =
    kind === 'folder' ? 'Expected keys of at most 1,024 bytes of UTF-8.' : onlyFor('folder')
  throw new ApiError(400, message, { field: 'items' })
}

function onlyFor(kind: ShareRow['kind']): string {
  return `This is only allowed for links of kind \`${kind}\`.`
}

/** @throws ApiError 400 for a limit that would have no effect */
function assertLimits(
  kind: ShareRow['kind'],
  { maxBytes, maxFileBytes, types }: z.output<typeof shareChange>,
): void {
  if (kind === 'drop') return
  const given = { maxBytes, maxFileBytes, types: types?.[0] }
  for (const [field, value] of Object.entries(given)) {
    if ((value ?? null) !== null) throw new ApiError(400, onlyFor('drop'), { field })
  }
}

/** @returns 0: never */
function expiryOf(expiresAt: string | null, nowMs: number): number {
  const expiresAtMs = expiresAt === null ? 0 : Date.parse(expiresAt)
  if (expiresAt === null || expiresAtMs > nowMs) return expiresAtMs
  throw new ApiError(400, 'Expected a time in the future.', { field: 'expiresAt' })
}

function assertPath(kind: ShareRow['kind'], path: string): void {
  const isFolder = path === '' || path.endsWith('/')
  const isRight = kind === 'file' ? !isFolder : isFolder
  if (isRight && (path === '' || isLegalKey(path))) return
  const expected =
    kind === 'file' ? 'the key of a file' : 'the prefix of a folder, ending in a slash'
  throw new ApiError(400, `Expected ${expected}, of at most 1,024 bytes of UTF-8.`, {
    field: 'path',
  })
}

/** @throws ApiError 400 if the access key lacks the rights that the share needs */
function assertMaker(
  share: Pick<ShareRow, 'kind' | 'bucket' | 'maker'> & { readonly path: string },
  { keys, ownerKey }: ShareRoutesParts,
): void {
  const credential = keys.find(share.maker || ownerKey)
  const field = 'accessKeyId'
  if (credential === undefined) throw new ApiError(400, 'There is no such access key.', { field })
  if (credential.refusal !== undefined) throw new ApiError(400, credential.refusal, { field })
  if (mayShare(credential.identity, share)) return
  const rights = neededActions[share.kind].join(' and ')
  throw new ApiError(400, `This access key is not allowed to ${rights} there.`, { field })
}

function replyOf(row: ShareRow, request: HttpRequest, parts: ShareRoutesParts): ShareReply {
  const share = shareOf(row)
  const { shareId, kind, bucket, path, title, note, maker, uses, views } = share
  const token = parts.sealer.open(row.sealedToken, shareId)
  const credential = parts.keys.find(maker || parts.ownerKey)
  const isDenied =
    credential === undefined ||
    credential.refusal !== undefined ||
    !mayShare(credential.identity, share)
  return {
    ...{ shareId, kind, bucket, path, title, note, uses, views, bytes: share.bytes },
    items: [...share.items],
    types: [...share.types],
    maxBytes: share.maxBytes || null,
    maxFileBytes: share.maxFileBytes || null,
    accessKeyId: maker || null,
    url: token === undefined ? null : originOfRequest(parts, request) + sharesBase + token,
    hasPassword: share.passwordHash !== '',
    createdAt: timeOf(share.createdAtMs),
    expiresAt: timeOrNull(share.expiresAtMs || undefined),
    lastUsedAt: timeOrNull(share.lastUsedAtMs || undefined),
    maxUses: share.maxUses || null,
    end: endOf(share, parts.now()) ?? (isDenied ? 'denied' : null),
  }
}
