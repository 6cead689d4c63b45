import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The bindings of the AWS SDK's operations: `["GET", "/{Key+}?acl", 200]`. */
const binding =
  /\["(GET|HEAD|PUT|POST|DELETE)", "(\/|\/\{Key\+\})\?([A-Za-z-]+)(?:&[^"]*)?", \d+\]/g

/** They tell operations of the same method and path apart only for people, or are options of the listing. */
const notSubresources: ReadonlySet<string> = new Set(['x-id', 'list-type'])

/**
 * What AWS says: each sub-resource of S3 with its methods at each level, as `bucket GET`. From the newest AWS SDK for
 * JavaScript, so that it shares nothing with src/storage/s3/detect.ts. `uploadId` is a parameter there, not a part of the path.
 */
export function sdkSubresources(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>([
    ['uploadId', new Set(['GET', 'PUT', 'POST', 'DELETE'].map((method) => `object ${method}`))],
  ])
  const file = 'node_modules/@aws-sdk/client-s3/dist-es/schemas/schemas_0.js'
  const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
  for (const [, method = '', path = '', name = ''] of text.matchAll(binding)) {
    if (notSubresources.has(name)) continue
    const level = path === '/' ? 'bucket' : 'object'
    found.set(name, (found.get(name) ?? new Set()).add(`${level} ${method}`))
  }
  return found
}
