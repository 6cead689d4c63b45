import { z } from 'zod'
import { ApiError } from '../../../platform/json-api/api-error.ts'
import { PassedReply, type Route, route } from '../../../platform/json-api/route.ts'
import { sortKeys } from '../../../platform/text/key-order.ts'
import type { SearchLine, SearchPosition } from '../../../storage/search/search.ts'
import type { ManagementApiParts } from '../management-parts.ts'
import { assertBucket, ReplySlots } from '../route-checks.ts'

/** Searches that a process runs at a time. */
const maxSearches = 8

/** Base64 of a key of control characters, six each in JSON, and a bucket. */
const longestAfter = 8_400

const position = z.tuple([z.string(), z.string()])

/** Finds names while they are read, so that the first results come at once. */
export function searchRoute({ buckets, search }: ManagementApiParts): Route {
  const places = new ReplySlots(maxSearches, 'Too many searches are running. Try again later.')
  return route({
    method: 'GET',
    path: '/search',
    operationId: 'search',
    summary: 'Finds files and folders by a part of their names',
    description:
      'Of any case, in a folder and below it, or in all buckets. The reply has a JSON value in each line: `hit`, ' +
      '`looked` (objects so far), `problem` (a bucket that could not be listed), and at the end `next`, which is null ' +
      'when everything was looked at, and otherwise for `after`: a search ends after 200 results or 15 seconds. ' +
      'A folder is found by what is in it: an empty one is not.',
    query: z.strictObject({
      text: z.string().min(1).max(255),
      bucket: z.string().optional().meta({ description: 'Absent: all buckets.' }),
      prefix: z.string().max(1_024).default('').meta({ description: 'Empty, or ends in a slash.' }),
      after: z
        .string()
        .max(longestAfter)
        .optional()
        .meta({ description: '`next` of the search before.' }),
    }),
    replyDescription: 'Lines of JSON.',
    async answer({ request: { signal }, query: { text, bucket, prefix, after } }) {
      if (bucket !== undefined) assertBucket(buckets, bucket)
      if (prefix !== '' && (bucket === undefined || !prefix.endsWith('/'))) {
        throw new ApiError(400, 'Expected a folder of a bucket.', { field: 'prefix' })
      }
      const names = bucket === undefined ? buckets.all().map(({ name }) => name) : [bucket]
      const from = after === undefined ? undefined : decoded(after)
      const close = places.enter()
      const lines = search({ buckets: sortKeys(names), prefix, text, after: from, signal })
      return new PassedReply({
        status: 200,
        headers: [['content-type', 'application/x-ndjson']],
        body: {
          length: undefined,
          async lend(borrow) {
            for await (const some of lines) await borrow(Buffer.from(some.map(textOf).join('')))
          },
          async close() {
            close()
            await lines.return(undefined)
          },
        },
      })
    },
  })
}

function textOf(line: SearchLine): string {
  const shown = 'next' in line ? { ...line, next: line.next && encoded(line.next) } : line
  return `${JSON.stringify(shown)}\n`
}

function encoded({ bucket, key }: SearchPosition): string {
  return Buffer.from(JSON.stringify([bucket, key])).toString('base64url')
}

/** @throws ApiError 400 */
function decoded(text: string): SearchPosition {
  try {
    const [bucket, key] = position.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
    return { bucket, key }
  } catch (cause) {
    throw new ApiError(400, 'Expected `next` of a search.', { field: 'after', cause })
  }
}
