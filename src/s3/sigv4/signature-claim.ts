/** What a request claims about its signature, in either of the two forms. Nothing verified yet. */
export interface SignatureClaim {
  readonly form: 'header' | 'presigned'
  /** `accessKey/day/region/service/aws4_request`. */
  readonly credential: string
  /** Lower case, in the order sent. */
  readonly signedHeaders: readonly string[]
  readonly signature: string
  /** `YYYYMMDDThhmmssZ` as sent; empty when missing. */
  readonly amzDate: string
  /** X-Amz-Expires as sent; undefined when missing, and in the header form. */
  readonly expires: string | undefined
  /** x-amz-content-sha256 as sent; undefined when missing. */
  readonly payloadHash: string | undefined
}

/** The names of SignedHeaders, which clients send in lower case and AWS compares so. */
export function splitSignedHeaders(list: string): string[] {
  return list.toLowerCase().split(';')
}
