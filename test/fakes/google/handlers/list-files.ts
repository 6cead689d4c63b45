import type { Account } from '../account.ts'
import type { Handler } from '../call.ts'
import { applyFieldMask, type FieldMask } from '../field-mask.ts'
import type { FileRecord } from '../file-record.ts'
import { defaultFileMask, fileListSchema, fileResource } from '../file-resource.ts'
import { fileNotFound, invalidValue } from '../google-error.ts'
import type { PageCursor } from '../page-tokens.ts'
import { parseQuery } from '../query-parser.ts'
import { corporaOfSearch } from './corpora.ts'
import { maskOf, pageSizeOf } from './shaped-reply.ts'

const pageSizes = { usual: 100, most: 1000 }

const defaultListMask: FieldMask = new Map<string, FieldMask>([
  ['kind', 'all'],
  ['incompleteSearch', 'all'],
  ['nextPageToken', 'all'],
  ['files', defaultFileMask],
])

/** Parameters that a page token belongs to. */
const questionParameters = ['q', 'orderBy', 'corpora', 'driveId', 'includeItemsFromAllDrives']

type Comparison = (left: FileRecord, right: FileRecord) => number

const orders: Readonly<Record<string, Comparison>> = {
  name: (left, right) => left.name.localeCompare(right.name),
  name_natural: (left, right) => left.name.localeCompare(right.name, undefined, { numeric: true }),
  createdTime: (left, right) => left.createdAtMs - right.createdAtMs,
  modifiedTime: (left, right) => left.modifiedAtMs - right.modifiedAtMs,
  folder: (left, right) => Number(left.content !== undefined) - Number(right.content !== undefined),
}

export const listFiles: Handler = async ({ query, account }) => {
  const { knobs, pages } = account
  const mask = maskOf(query, { schema: fileListSchema, usual: defaultListMask })
  const size = Math.min(pageSizeOf(query, pageSizes), knobs.pageLimit)
  const cursor = cursorOf(query, account)
  const isEmpty = knobs.hasEmptyPages && !cursor.isAfterEmpty && cursor.ids.length > 0
  const position = cursor.position + (isEmpty ? 0 : size)
  const isLast = position >= cursor.ids.length
  const json = {
    kind: 'drive#fileList',
    incompleteSearch: knobs.isSearchIncomplete,
    ...(isLast
      ? {}
      : { nextPageToken: pages.issue({ ...cursor, position, isAfterEmpty: isEmpty }) }),
    files: await resources({ ...cursor, ids: cursor.ids.slice(cursor.position, position) }, mask),
  }
  return { status: 200, json: applyFieldMask(json, mask) }
}

async function resources(page: PageCursor, mask: FieldMask): Promise<unknown[]> {
  const records = page.records()
  const fileMask = (mask === 'all' ? 'all' : mask.get('files')) ?? new Map<string, FieldMask>()
  // Files that were deleted meanwhile are omitted.
  const found = page.ids.flatMap((id) => records.get(id) ?? [])
  return await Promise.all(found.map((record) => fileResource(record, { records, mask: fileMask })))
}

function cursorOf(query: URLSearchParams, account: Account): PageCursor {
  const question = questionParameters.map((name) => query.get(name) ?? '').join('\n')
  const token = query.get('pageToken')
  if (token !== null) return account.pages.redeem(token, question)
  const { files } = account
  const { matches, asksForName, parents } = parseQuery(query.get('q') ?? '')
  // Drive does not name the file: "File not found: .".
  if (parents.some((id) => files.get(id) === undefined)) throw fileNotFound('')
  const isInCorpora = corporaOfSearch(query)
  const view = asksForName ? files.byName : files.byParent
  const scope = { records: view.records(), rootId: files.rootId }
  const found = [...scope.records.values()]
    .filter((record) => isInCorpora(record) && matches(record, scope))
    // The root of a drive can be found only by its id.
    .filter(({ parent }) => parent !== undefined)
    // Without `orderBy`, Drive returns roughly the newest first. Clients must not rely on it.
    .reverse()
  const ids = found.sort(orderOf(query)).map(({ id }) => id)
  return { question, ids, records: () => view.records(), position: 0, isAfterEmpty: false }
}

function orderOf(query: URLSearchParams): Comparison {
  const keys = (query.get('orderBy') ?? '').split(',').filter((key) => key.trim() !== '')
  const comparisons = keys.map((key) => {
    const [name = '', direction] = key.trim().split(/\s+/)
    const compare = orders[name]
    if (compare === undefined || (direction ?? 'desc') !== 'desc') throw invalidValue('orderBy')
    const sign = direction === 'desc' ? -1 : 1
    return (left: FileRecord, right: FileRecord) => sign * compare(left, right)
  })
  return (left, right) => {
    for (const compare of comparisons) {
      const order = compare(left, right)
      if (order !== 0) return order
    }
    return 0
  }
}
