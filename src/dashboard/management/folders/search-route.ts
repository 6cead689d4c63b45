import { z } from 'zod'
import { ApiError } from '../../../platform/json-api/api-error.ts'
import { PassedReply, type Route, route } from '../../../platform/json-api/route.ts'
import { sortKeys } from '../../../platform/text/key-order.ts'
import type { SearchLine, SearchPosition } from '../../../storage/search/search.ts'
import type { ManagementApiParts } from '../management-parts.ts'
import { assertBucket, ReplySlots } from '../route-checks.ts'

/** The maximum number of searches that a process runs at a time. */
const maxSearches = 8

/** Base64 of JSON with a bucket and a key of control characters, each of which takes six characters. */
const longestAfter = 8_400

const position = z.tuple([z.string(), z.string()])

/** Sends results while it searches, so that the first ones arrive at once. */
export function searchRoute({ buckets, search }: ManagementApiParts): Route {
  const slots = new ReplySlots(maxSearches, 'Too many searches are running. Try again later.')
  return route({
    method: 'GET',
    path: '/search',
    operationId: 'search',
    summary: 'Finds files and folders by a part of their names',
    description:
      'Ignores case, and searches a folder and everything below it, or all buckets. Each line of the reply is a ' +
      'JSON value: `hit`, `looked` (objects searched so far), `problem` (a bucket that could not be listed), and ' +
      'finally `next`: null if the search is complete, otherwise the value for `after`. A search stops after 200 ' +
      'results or 15 seconds. Folders are found by the keys in them, so empty folders are not found.',
    query: z.strictObject({
      text: z.string().min(1).max(255),
      bucket: z.string().optional().meta({ description: 'Absent: all buckets.' }),
      prefix: z.string().max(1_024).default('').meta({ description: 'Empty, or ends in a slash.' }),
      after: z
        .string()
        .max(longestAfter)
        .optional()
        .meta({ description: '`next` of the previous search.' }),
    }),
    replyDescription: 'Lines of JSON.',
    async answer({ request: { signal }, query: { text, bucket, prefix, after } }) {
      if (bucket !== undefined) assertBucket(buckets, bucket)
      if (prefix !== '' && (bucket === undefined || !prefix.endsWith('/'))) {
        throw new ApiError(400, 'Expected a folder of a bucket.', { field: 'prefix' })
      }
      const names = bucket === undefined ? buckets.all().map(({ name }) => name) : [bucket]
      const from = after === undefined ? undefined : decoded(after)
      const close = slots.enter()
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
    throw new ApiError(400, 'Expected `next` of a previous search.', { field: 'after', cause })
  }
}
