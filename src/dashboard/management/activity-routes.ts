import { type Route, route } from '../../platform/json-api/route.ts'
import { activityOf } from './activity-recorder.ts'
import {
  type ActivityQuery,
  type ActivityReply,
  type ActivityStatus,
  activityQuery,
  activityReply,
} from './activity-schemas.ts'
import type { ActivityKind, ActivityPage, ActivityRow } from './activity-table.ts'
import { failuresReply } from './management-schemas.ts'

/** The kept requests of all processes. */
export interface KeptActivity {
  /** Newest first. @throws DatabaseError */
  page(page: ActivityPage): Promise<ActivityRow[]>
  /** Clears all failures up to now. @throws DatabaseError */
  clear(): Promise<void>
}

const pageRows = 100
/** Rows per read; a filter may match few of them. */
const readRows = 500
const listedFailures = 200

const kindsOf = {
  all: ['change', 'failure', 'own'],
  changes: ['change'],
  failures: ['failure', 'own'],
} as const satisfies Record<string, readonly ActivityKind[]>

export function activityRoutes({
  activity,
}: {
  readonly activity: KeptActivity
}): readonly Route[] {
  const list = route({
    method: 'GET',
    path: '/activity',
    operationId: 'getActivity',
    summary: 'Lists the latest requests that changed something or failed, newest first',
    description:
      'At most 100 per page. The latest 5,000 changes and 1,000 failures of all workers are kept, with at most ' +
      '100 changes per worker and second. Object contents, query strings, signatures and secrets are never ' +
      'recorded.',
    query: activityQuery,
    reply: activityReply,
    answer: ({ query, request }) => filtered(activity, query, request.signal),
  })
  const failures = route({
    method: 'GET',
    path: '/failures',
    operationId: 'getFailures',
    summary: 'Lists the latest failed requests with reasons',
    description:
      'At most 200, newest first, from S3, logins and the model list. Requests of the dashboard and of this API ' +
      'are left out, and so are failures of normal operation: missing objects (404), failed conditions (412), ' +
      'ranges beyond the end (416), expired sessions, and unsigned requests for buckets that do not exist.',
    reply: failuresReply,
    async answer() {
      const page = {
        kinds: ['failure'] as const,
        after: undefined,
        fromMs: 0,
        limit: listedFailures,
      }
      return { failures: (await activity.page(page)).map(activityOf) }
    },
  })
  const clear = route({
    method: 'DELETE',
    path: '/failures',
    operationId: 'clearFailures',
    summary: 'Clears the failed requests',
    description: 'Clears the failures of all workers so far. Changes stay.',
    status: 204,
    replyDescription: 'Cleared.',
    answer: () => activity.clear(),
  })
  return [list, failures, clear]
}

/** Reads kept rows in batches until the page is full. */
async function filtered(
  activity: KeptActivity,
  query: ActivityQuery,
  signal: AbortSignal,
): Promise<ActivityReply> {
  const { what, from } = query
  const fromMs = from === undefined ? 0 : Date.parse(from)
  const words = searchWords(query.search ?? '')
  const requests: ActivityStatus[] = []
  let after = query.after === undefined ? undefined : decodePosition(query.after)
  for (;;) {
    signal.throwIfAborted()
    const rows = await activity.page({ kinds: kindsOf[what], after, fromMs, limit: readRows })
    for (const row of rows) {
      after = row
      const request = activityOf(row)
      if (matches(request, query, words)) requests.push(request)
      if (requests.length === pageRows) return { requests, next: `${row.atMs}.${row.requestId}` }
    }
    if (rows.length < readRows) return { requests, next: null }
  }
}

function decodePosition(position: string): Pick<ActivityRow, 'atMs' | 'requestId'> {
  const dot = position.indexOf('.')
  return { atMs: Number(position.slice(0, dot)), requestId: position.slice(dot + 1) }
}

/** Pure: whether a request is one that the query asks for, with the words of its search. */
function matches(
  request: ActivityStatus,
  { bucket, key, accessKey, operation, status }: Partial<ActivityQuery>,
  words: readonly SearchWord[],
): boolean {
  if (bucket !== undefined && request.bucket !== bucket) return false
  if (key !== undefined && request.key?.includes(key) !== true) return false
  if (accessKey !== undefined && (request.accessKey ?? request.by) !== accessKey) return false
  if (operation !== undefined && request.operation !== operation) return false
  if (status !== undefined && !String(request.status).startsWith(status.replace('xx', '')))
    return false
  if (words.length === 0) return true
  const { at: _, isFailure: __, more: ___, ...shown } = request
  const statusClass = `${String(request.status).slice(0, 1)}xx`
  const all = Object.values(shown).join(' ').toLowerCase()
  return words.every((word) => word.some((one) => all.includes(one) || one === statusClass))
}

/** The alternatives of a word, at least one. */
type SearchWord = readonly string[]

/** Pure: `one|other` is a word with two alternatives, and a no-break space in it stands for a space. */
function searchWords(search: string): readonly SearchWord[] {
  const words = search.toLowerCase().split(/[^\S\u00a0]+/)
  const alternatives = (word: string) => word.replaceAll('\u00a0', ' ').split('|')
  return words
    .map((word) => alternatives(word).filter((one) => one !== ''))
    .filter((word) => word.length > 0)
}
