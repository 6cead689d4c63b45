import type { AccessKeys } from '../../access/access-keys.ts'
import type { S3Settings } from '../context.ts'
import { type AwsForm, S3Error } from '../errors.ts'
import { fieldName } from '../headers/request-fields.ts'

/** What a request claims about its signature, in either of the two forms. Nothing verified yet. */
export interface SignatureClaim {
  readonly form: 'header' | 'presigned'
  /** `accessKey/day/region/service/aws4_request`. */
  readonly credential: string
  /** Lower case, sorted, each once. */
  readonly signedHeaders: readonly string[]
  readonly signature: string
  /** `YYYYMMDDThhmmssZ` as sent; empty when missing. */
  readonly amzDate: string
  /** X-Amz-Expires as sent; undefined when missing, and in the header form. */
  readonly expires: string | undefined
  /** x-amz-content-sha256 as sent; undefined when missing. */
  readonly payloadHash: string | undefined
}

/** AWS's codes for a claim that it does not accept. */
export const malformedCodes = {
  header: 'AuthorizationHeaderMalformed',
  presigned: 'AuthorizationQueryParametersError',
} as const

/** The error of a claim that cannot be read: 403 by default, 400 on AWS. */
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

/** Clients sign 3 to 10 headers and one for each entry of the user metadata, which is limited to 2 KB. */
const maxSignedHeaders = 100

/**
 * The names of SignedHeaders. AWS requires them sorted and in lower case; like AWS, this accepts
 * other cases. The sender chooses the list, so its length is limited first.
 *
 * @throws S3Error AccessDenied when a name is repeated, out of order or illegal, or for more than 100.
 */
export function readSignedHeaders(list: string, form: SignatureClaim['form']): readonly string[] {
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
  return names
}

/** What signatures are checked with. */
export interface SignatureSettings extends Pick<S3Settings, 'region' | 'regions' | 'publicUrl'> {
  readonly keys: Pick<AccessKeys, 'find'>
  /** The bucket, if the host names it. */
  readonly hostBucket?: string | undefined
  /** Whether Signature Version 2 is accepted. */
  readonly versionTwo?: boolean
  /** Whether the header Date may stand for x-amz-date. */
  readonly dateHeaders?: boolean
  /** Whether what a signature says of the body is kept, to be verified when the body is read. */
  readonly signedBodies?: boolean
}
