import type { AccessKeys } from '../../access/access-keys.ts'
import type { S3Settings } from '../context.ts'
import { type AwsForm, S3Error } from '../errors.ts'
import { fieldName } from '../headers/request-fields.ts'

/** What a request claims about its signature, in either form. Not verified. */
export interface SignatureClaim {
  readonly form: 'header' | 'presigned'
  /** `accessKey/day/region/service/aws4_request`. */
  readonly credential: string
  /** In lower case, sorted. */
  readonly signedHeaders: ReadonlySet<string>
  readonly signature: string
  /** `YYYYMMDDThhmmssZ` as sent; empty if missing. */
  readonly amzDate: string
  /** X-Amz-Expires as sent; undefined if missing, and in the header form. */
  readonly expires: string | undefined
  /** x-amz-content-sha256 as sent; undefined if missing. */
  readonly payloadHash: string | undefined
}

/** AWS's codes for an invalid claim. */
export const malformedCodes = {
  header: 'AuthorizationHeaderMalformed',
  presigned: 'AuthorizationQueryParametersError',
} as const

/** The error for an invalid claim: 403 by default, 400 on AWS. */
export function malformedClaim(
  form: SignatureClaim['form'],
  message: string,
  { reason, inAws = {} }: { readonly reason?: string; readonly inAws?: Partial<AwsForm> } = {},
): S3Error {
  return new S3Error('AccessDenied', message, {
    ...(reason !== undefined && { reason }),
    inAws: { code: malformedCodes[form], ...inAws },
  })
}

/** Clients sign 3 to 10 headers, and one for each entry of the user metadata, which is limited to 2 KB. */
const maxSignedHeaders = 100

/**
 * The names of SignedHeaders in lower case. AWS documents lower case, but accepts upper case as well.
 *
 * @throws S3Error AccessDenied if a name is repeated, out of order or invalid, or for more than 100 names
 */
export function readSignedHeaders(list: string, form: SignatureClaim['form']): ReadonlySet<string> {
  const names = list.toLowerCase().split(';', maxSignedHeaders + 1)
  if (names.length > maxSignedHeaders) {
    throw malformedClaim(form, `SignedHeaders has more than ${maxSignedHeaders} names.`)
  }
  let previous = ''
  for (const name of names) {
    if (!(previous < name) || !fieldName.test(name)) {
      throw malformedClaim(
        form,
        'SignedHeaders must list header names in alphabetical order, each once, separated by ";".',
      )
    }
    previous = name
  }
  return new Set(names)
}

/** What signatures are verified with. */
export interface SignatureSettings extends Pick<S3Settings, 'region' | 'regions' | 'publicUrl'> {
  readonly keys: Pick<AccessKeys, 'find'>
  /** The bucket, if the host names it. */
  readonly hostBucket?: string | undefined
  /** Whether Signature Version 2 is accepted. */
  readonly versionTwo?: boolean
  /** Whether the header Date is accepted instead of x-amz-date. */
  readonly dateHeaders?: boolean
  /** Whether the body is verified against its signed hash or signed chunks when it is read. */
  readonly signedBodies?: boolean
}
