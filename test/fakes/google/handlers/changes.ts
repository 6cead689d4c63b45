import type { Account } from '../account.ts'
import type { Handler } from '../call.ts'
import type { Change } from '../change-log.ts'
import { applyFieldMask, type FieldMask } from '../field-mask.ts'
import { changeListSchema, defaultFileMask, fileResource } from '../file-resource.ts'
import { GoogleError, invalidValue } from '../google-error.ts'
import { corporaOfChanges, type IsInCorpora } from './corpora.ts'
import { maskOf, pageSizeOf } from './shaped-reply.ts'

const pageSizes = { usual: 100, most: 1000 }

const defaultChangeMask: FieldMask = new Map<string, FieldMask>([
  ['kind', 'all'],
  ['nextPageToken', 'all'],
  ['newStartPageToken', 'all'],
  [
    'changes',
    new Map<string, FieldMask>([
      ...['kind', 'removed', 'fileId', 'time', 'type', 'changeType'].map(
        (name) => [name, 'all'] as const,
      ),
      ['file', defaultFileMask],
    ]),
  ],
])

export const startPageToken: Handler = ({ account }) => {
  const json = { kind: 'drive#startPageToken', startPageToken: String(account.files.changes.end()) }
  return { status: 200, json }
}

export const listChanges: Handler = async ({ query, account }) => {
  const { knobs, files } = account
  const mask = maskOf(query, { schema: changeListSchema, usual: defaultChangeMask })
  const isInCorpora = corporaOfChanges(query)
  const size = Math.min(pageSizeOf(query, pageSizes), knobs.pageLimit)
  const { position, isAfterEmpty } = positionOf(query, account)
  const changes = files.changes
    .since(position)
    .filter((change) => isTold(change, query, isInCorpora))
  const isEmpty = knobs.hasEmptyPages && !isAfterEmpty && changes.length > 0
  const page = isEmpty ? [] : changes.slice(0, size)
  const rest = changes[page.length]
  const suffix = isEmpty ? emptySuffix : ''
  const json = {
    kind: 'drive#changeList',
    ...(rest === undefined
      ? { newStartPageToken: String(files.changes.end()) }
      : { nextPageToken: `${rest.position}${suffix}` }),
    changes: await Promise.all(page.map((change) => resource(change, account, mask))),
  }
  return { status: 200, json: applyFieldMask(json, mask) }
}

/** Marks the token of an empty page. */
const emptySuffix = '.1'

function positionOf(
  query: URLSearchParams,
  { files }: Account,
): {
  position: number
  isAfterEmpty: boolean
} {
  const token = query.get('pageToken')
  if (token === null) {
    const message = 'Required parameter: pageToken'
    throw new GoogleError('required', { message, location: 'pageToken' })
  }
  const isAfterEmpty = token.endsWith(emptySuffix)
  const position = Number(isAfterEmpty ? token.slice(0, -emptySuffix.length) : token)
  const isKnown = Number.isInteger(position) && position >= files.changes.oldest
  if (!isKnown || position > files.changes.end()) throw invalidValue('pageToken')
  return { position, isAfterEmpty }
}

function isTold(change: Change, query: URLSearchParams, isInCorpora: IsInCorpora): boolean {
  if (!isInCorpora(change.last)) return false
  return !change.isRemoved || query.get('includeRemoved')?.toLowerCase() !== 'false'
}

async function resource(change: Change, { files }: Account, mask: FieldMask): Promise<unknown> {
  const record = files.get(change.fileId)
  const records = files.records()
  const facts = {
    kind: 'drive#change',
    type: 'file',
    changeType: 'file',
    time: new Date(change.atMs).toISOString(),
    fileId: change.fileId,
    removed: record === undefined,
  }
  if (record === undefined) return facts
  return { ...facts, file: await fileResource(record, { records, mask: fileMaskOf(mask) }) }
}

function fileMaskOf(mask: FieldMask): FieldMask {
  const changes = mask === 'all' ? 'all' : (mask.get('changes') ?? new Map<string, FieldMask>())
  return changes === 'all' ? 'all' : (changes.get('file') ?? new Map<string, FieldMask>())
}
