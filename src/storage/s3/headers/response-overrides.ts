import type { KeptHeader } from '../../drives/attributes.ts'
import type { Query } from '../address/query.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import { fieldValue } from './field-value.ts'

/** Query parameter → the header field it replaces (API reference, GetObject). */
const overrides = {
  'response-cache-control': 'cache-control',
  'response-content-disposition': 'content-disposition',
  'response-content-encoding': 'content-encoding',
  'response-content-language': 'content-language',
  'response-content-type': 'content-type',
  'response-expires': 'expires',
} as const satisfies Record<string, KeptHeader>

export type ResponseOverrides = Partial<Record<KeptHeader, string>>

/**
 * The header fields that a GET or HEAD requests instead of those stored with the object;
 * undefined when there are none, the usual case.
 *
 * @throws S3Error InvalidRequest when the request is unsigned: otherwise anyone could serve a
 *   public object as HTML.
 * @throws S3Error InvalidArgument for a value that no header field can carry.
 */
export function responseOverrides(query: Query, isSigned: boolean): ResponseOverrides | undefined {
  if (query.size === 0) return undefined
  let result: ResponseOverrides | undefined
  for (const [parameter, value] of query) {
    if (!Object.hasOwn(overrides, parameter) || value === '') continue
    if (!isSigned) {
      throw new S3Error(
        'InvalidRequest',
        'Request specific response headers cannot be used for anonymous GET requests.',
      )
    }
    if (!fieldValue.test(value)) {
      const message = 'Header value cannot be represented using ISO-8859-1.'
      throw invalidArgument(parameter, value, message)
    }
    result ??= {}
    result[overrides[parameter as keyof typeof overrides]] = value
  }
  return result
}
