import type { HttpRequest } from '../../../platform/http/message.ts'
import { S3Error, s3Errors } from '../errors.ts'
import { type CanonicalParts, canonicalRequest } from './canonical-request.ts'
import { signatureDiffers, unknownAccessKey } from './refusal-reasons.ts'
import { uriDecode } from './uri-encode.ts'

/** What the server signed, for the debug log and AWS's error, without session tokens and customer keys. */
export interface SignatureMismatch {
  readonly stringToSign: string
  /** Absent in Version 2, which does not have one. */
  readonly canonicalRequest?: string
}

/** A request whose signature matches no secret. */
interface Mismatched {
  readonly request: HttpRequest
  readonly accessKeyId: string
  readonly isKnownKey: boolean
  readonly signature: string
  readonly publicUrl: string | undefined
  /** Called only if the details, which are as long as the request, are shown. */
  readonly details: () => SignatureMismatch
}

/**
 * The error of a signature that does not match. By default, clients do not learn whether the access key exists;
 * on AWS they do, and get what the server signed
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html, SignatureDoesNotMatch).
 */
export function signatureMismatch(mismatched: Mismatched): S3Error {
  const { request, accessKeyId, isKnownKey, signature, publicUrl, details } = mismatched
  const code = isKnownKey ? 'SignatureDoesNotMatch' : 'InvalidAccessKeyId'
  return new S3Error(
    'AccessDenied',
    'The access key ID you provided does not exist, or the request signature we calculated does ' +
      'not match the signature you provided. Check your keys and signing method.',
    {
      reason: isKnownKey ? signatureDiffers(request.headers, publicUrl) : unknownAccessKey,
      inAws: {
        code,
        message: s3Errors[code][1],
        get elements() {
          const elements = { AWSAccessKeyId: accessKeyId }
          if (!isKnownKey) return elements
          return { ...elements, SignatureProvided: signature, ...shownTexts(details()) }
        },
      },
    },
  )
}

function shownTexts({ stringToSign, canonicalRequest }: SignatureMismatch) {
  return {
    StringToSign: utf8Of(stringToSign),
    StringToSignBytes: bytesOf(stringToSign),
    ...(canonicalRequest !== undefined && {
      CanonicalRequest: utf8Of(canonicalRequest),
      CanonicalRequestBytes: bytesOf(canonicalRequest),
    }),
  }
}

/** Decodes bytes in a latin1 text, one character per byte. */
function utf8Of(text: string): string {
  return Buffer.from(text, 'latin1').toString()
}

/** Bytes as AWS shows them: `41 57 53 34`. */
function bytesOf(text: string): string {
  return Buffer.from(text, 'latin1')
    .toString('hex')
    .replace(/..(?!$)/g, '$& ')
}

const secretName = /^(?:authorization|cookie|x-amz-security-token|.*-customer-key)$/i

/** Whether the value of a header field or parameter must not be shown. */
export function isSecret(name: string): boolean {
  return secretName.test(name)
}

/** The canonical request without secret values. A presigned query has header fields as parameters. */
export function redactedRequest(reading: CanonicalParts): string {
  return canonicalRequest({
    ...reading,
    query: reading.query
      .split('&')
      .map((pair) => {
        const name = pair.slice(0, pair.indexOf('='))
        return isSecret(uriDecode(name)) ? `${name}=[redacted]` : pair
      })
      .join('&'),
    signedHeaders: reading.signedHeaders.map(({ name, value }) => ({
      name,
      value: isSecret(name) ? '[redacted]' : value,
    })),
  })
}
